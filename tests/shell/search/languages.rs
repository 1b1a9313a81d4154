//! Questions in thirteen languages, asked of a site that has the same pages in all of them.
//!
//! The pages are sentences made up for this test. What is asked is what readers type: other forms of the words, a word of
//! a compound, a word without its article, letters of another width.

use queries::search::SearchDocument;
use quire_search::index::{Changes, Filter, Index, Question};

use crate::search::invented::{ask, follow, index, page};

/// A language: its code, the pages by name, title and text, and questions with the name of the page that answers.
struct Language {
    code: &'static str,
    pages: [(&'static str, &'static str, &'static str); 6],
    questions: &'static [(&'static str, &'static str)],
}

const LANGUAGES: &[Language] = &[
    Language {
        code: "en",
        pages: [
            (
                "keys",
                "API keys",
                "Create an access key in the dashboard and send it with every request. A lost key is revoked and replaced.",
            ),
            (
                "webhooks",
                "Webhooks",
                "We notify your server of events. Verify the signature before you trust a message.",
            ),
            (
                "payment",
                "Payment methods",
                "Pay your invoice by card or bank transfer. A refund takes five days.",
            ),
            (
                "roles",
                "Roles and permissions",
                "Owners invite members to the organization and choose what each of them may change.",
            ),
            (
                "deploy",
                "Deployment",
                "Publish your site from the main branch. A preview is built for every pull request.",
            ),
            (
                "limits",
                "Rate limits",
                "More than one hundred requests a minute are rejected with the status 429. Wait and try again.",
            ),
        ],
        questions: &[
            ("revoke a lost key", "keys"),
            ("how do I verify signatures", "webhooks"),
            ("refunds for an invoice", "payment"),
            ("inviting a member", "roles"),
            ("building previews", "deploy"),
            ("too many requests rejected", "limits"),
            ("ｐａｙｍｅｎｔ ｍｅｔｈｏｄｓ", "payment"),
        ],
    },
    Language {
        code: "zh",
        pages: [
            (
                "keys",
                "API 密钥",
                "在控制台中创建访问密钥，并随每个请求一起发送。丢失的密钥会被撤销并更换。",
            ),
            (
                "webhooks",
                "网络钩子",
                "我们会把事件通知给你的服务器。在信任消息之前请先验证签名。",
            ),
            (
                "payment",
                "付款方式",
                "可以用银行卡或转账支付账单。退款需要五天。",
            ),
            (
                "roles",
                "角色与权限",
                "所有者邀请成员加入组织，并决定每个人可以更改什么。",
            ),
            (
                "deploy",
                "部署",
                "从主分支发布你的网站。每个合并请求都会生成预览。",
            ),
            (
                "limits",
                "速率限制",
                "每分钟超过一百个请求会被拒绝，状态码为 429。请稍后重试。",
            ),
        ],
        questions: &[
            ("撤销密钥", "keys"),
            ("如何验证签名", "webhooks"),
            ("退款需要多久", "payment"),
            ("邀请成员", "roles"),
            ("发布网站", "deploy"),
            ("请求被拒绝", "limits"),
            ("ＡＰＩ　密钥", "keys"),
        ],
    },
    Language {
        code: "ja",
        pages: [
            (
                "keys",
                "APIキー",
                "ダッシュボードでアクセスキーを作成し、すべてのリクエストに付けて送信します。紛失したキーは無効化して交換します。",
            ),
            (
                "webhooks",
                "ウェブフック",
                "イベントをサーバーに通知します。メッセージを信頼する前に署名を検証してください。",
            ),
            (
                "payment",
                "支払い方法",
                "請求書はカードまたは銀行振込で支払えます。返金には五日かかります。",
            ),
            (
                "roles",
                "ロールと権限",
                "所有者は組織にメンバーを招待し、変更できる内容を決めます。",
            ),
            (
                "deploy",
                "デプロイガイド",
                "メインブランチからサイトを公開します。プルリクエストごとにプレビューが作られます。",
            ),
            (
                "limits",
                "レート制限",
                "一分間に百件を超える呼び出しは、ステータス 429 で拒否されます。しばらく待って再試行してください。",
            ),
        ],
        questions: &[
            ("署名の検証", "webhooks"),
            ("返金", "payment"),
            ("メンバーを招待する", "roles"),
            ("ﾃﾞﾌﾟﾛｲｶﾞｲﾄﾞ", "deploy"),
            ("ﾌﾟﾚﾋﾞｭｰ", "deploy"),
            ("拒否される呼び出し", "limits"),
            ("ｱｸｾｽｷｰの作成", "keys"),
            ("ダッシュホ\u{3099}ート\u{3099}", "keys"),
        ],
    },
    Language {
        code: "ko",
        pages: [
            (
                "keys",
                "API 키",
                "대시보드에서 액세스 키를 만들고 모든 요청과 함께 보냅니다. 잃어버린 키는 폐기하고 교체합니다.",
            ),
            (
                "webhooks",
                "웹훅",
                "이벤트를 서버에 알립니다. 메시지를 신뢰하기 전에 서명을 검증하세요.",
            ),
            (
                "payment",
                "결제 수단",
                "청구서는 카드나 계좌 이체로 지불합니다. 환불에는 닷새가 걸립니다.",
            ),
            (
                "roles",
                "역할과 권한",
                "소유자는 조직에 구성원을 초대하고 각자가 변경할 수 있는 것을 정합니다.",
            ),
            (
                "deploy",
                "배포",
                "메인 브랜치에서 사이트를 게시합니다. 풀 리퀘스트마다 미리보기가 만들어집니다.",
            ),
            (
                "limits",
                "속도 제한",
                "분당 백 건이 넘는 호출은 상태 429로 거부됩니다. 잠시 기다렸다가 다시 시도하세요.",
            ),
        ],
        questions: &[
            ("키를 폐기", "keys"),
            ("서명 검증하는 방법", "webhooks"),
            ("환불", "payment"),
            ("구성원 초대하기", "roles"),
            ("사이트 게시", "deploy"),
            ("호출이 거부됨", "limits"),
            (
                "\u{1112}\u{116a}\u{11ab}\u{1107}\u{116e}\u{11af}",
                "payment",
            ),
        ],
    },
    Language {
        code: "de",
        pages: [
            (
                "keys",
                "API-Zugriffsschlüssel",
                "Legen Sie im Dashboard einen Zugang an und senden Sie ihn mit jeder Anfrage. Was verloren geht, wird gesperrt und ersetzt.",
            ),
            (
                "webhooks",
                "Webhooks",
                "Wir melden Ihrem Server Ereignisse. Prüfen Sie die Absendersignatur, bevor Sie einer Nachricht vertrauen.",
            ),
            (
                "payment",
                "Zahlungsmethoden",
                "Bezahlen Sie Ihre Monatsrechnung mit Karte oder Überweisung. Eine Erstattung dauert fünf Tage.",
            ),
            (
                "roles",
                "Rollen und Berechtigungen",
                "Eigentümer laden Mitglieder in die Organisation ein und bestimmen, wer was ändern darf.",
            ),
            (
                "deploy",
                "Veröffentlichung",
                "Veröffentlichen Sie Ihre Website aus dem Hauptzweig. Für jede Änderung entsteht eine Vorschau der Seite.",
            ),
            (
                "limits",
                "Ratenbegrenzung",
                "Mehr als hundert Anfragen in der Minute werden mit dem Status 429 abgelehnt. Versuchen Sie es später.",
            ),
        ],
        questions: &[
            ("Schlüssel", "keys"),
            ("Wo finde ich meinen Schlüssel?", "keys"),
            ("Signatur prüfen", "webhooks"),
            ("Signaturen", "webhooks"),
            ("Methode der Zahlung", "payment"),
            ("Rechnungen bezahlen", "payment"),
            ("Begrenzung", "limits"),
            ("Mitgliedereinladung", "roles"),
            ("Vorschauseite", "deploy"),
        ],
    },
    Language {
        code: "fr",
        pages: [
            (
                "keys",
                "Clés d’API",
                "Créez une clé d’accès dans le tableau de bord et envoyez-la avec chaque requête. Une clé perdue est révoquée puis remplacée.",
            ),
            (
                "webhooks",
                "Points d’appel",
                "Nous signalons les évènements à votre serveur. Vérifiez la signature avant de faire confiance à un message.",
            ),
            (
                "payment",
                "Moyens de paiement",
                "Réglez votre facture par carte ou par virement. Un remboursement prend cinq jours.",
            ),
            (
                "roles",
                "Rôles et autorisations",
                "Les propriétaires invitent des membres dans l’organisation et choisissent ce que chacun peut modifier.",
            ),
            (
                "deploy",
                "Déploiement",
                "Publiez votre site depuis la branche principale. Un aperçu est construit à chaque demande.",
            ),
            (
                "limits",
                "Limites de débit",
                "Plus de cent requêtes par minute sont rejetées avec le statut 429. Attendez puis réessayez.",
            ),
        ],
        questions: &[
            ("révoquer une clé perdue", "keys"),
            ("vérification des signatures", "webhooks"),
            ("remboursements", "payment"),
            ("inviter un membre", "roles"),
            ("deploiement du site", "deploy"),
            ("requête rejetée", "limits"),
            ("re\u{301}gler une facture", "payment"),
        ],
    },
    Language {
        code: "es",
        pages: [
            (
                "keys",
                "Claves de API",
                "Crea una clave de acceso en el panel y envíala con cada petición. Una clave perdida se revoca y se sustituye.",
            ),
            (
                "webhooks",
                "Avisos",
                "Comunicamos los eventos a tu servidor. Verifica la firma antes de confiar en un mensaje.",
            ),
            (
                "payment",
                "Formas de pago",
                "Paga tu factura con tarjeta o por transferencia. Un reembolso tarda cinco días.",
            ),
            (
                "roles",
                "Funciones y permisos",
                "Los propietarios invitan a miembros a la organización y eligen qué puede cambiar cada uno.",
            ),
            (
                "deploy",
                "Despliegue",
                "Publica tu sitio desde la rama principal. Con cada propuesta se crea una vista previa.",
            ),
            (
                "limits",
                "Límites de uso",
                "Más de cien peticiones por minuto se rechazan con el estado 429. Espera y vuelve a intentarlo.",
            ),
        ],
        questions: &[
            ("revocar claves", "keys"),
            ("verificar la firma", "webhooks"),
            ("reembolsos", "payment"),
            ("invitar a un miembro", "roles"),
            ("publicar el sitio", "deploy"),
            ("limites", "limits"),
        ],
    },
    Language {
        code: "pt",
        pages: [
            (
                "keys",
                "Chaves de API",
                "Crie uma chave de acesso no painel e envie-a em cada requisição. Uma chave perdida é revogada e trocada.",
            ),
            (
                "webhooks",
                "Notificações",
                "Informamos os eventos ao seu servidor. Confira a assinatura antes de confiar em uma mensagem.",
            ),
            (
                "payment",
                "Formas de pagamento",
                "Pague a fatura com cartão ou transferência bancária. O estorno leva cinco dias.",
            ),
            (
                "roles",
                "Papéis e permissões",
                "Os proprietários convidam membros para a organização e escolhem o que cada um pode alterar.",
            ),
            (
                "deploy",
                "Implantação",
                "Publique o site a partir do ramo principal. Cada proposta gera uma prévia.",
            ),
            (
                "limits",
                "Limites de taxa",
                "Mais de cem requisições por minuto são recusadas com o estado 429. Aguarde e tente outra vez.",
            ),
        ],
        questions: &[
            ("revogar a chave", "keys"),
            ("conferir assinaturas", "webhooks"),
            ("estornos", "payment"),
            ("convidar um membro", "roles"),
            ("implantacao", "deploy"),
            ("requisição recusada", "limits"),
        ],
    },
    Language {
        code: "ru",
        pages: [
            (
                "keys",
                "Ключи API",
                "Создайте ключ доступа в панели и отправляйте его с каждым запросом. Потерянный ключ отзывают и заменяют.",
            ),
            (
                "webhooks",
                "Вебхуки",
                "Мы сообщаем вашему серверу о событиях. Проверьте подпись, прежде чем доверять сообщению.",
            ),
            (
                "payment",
                "Способы оплаты",
                "Оплатите счёт картой или банковским переводом. Возврат денег занимает пять дней.",
            ),
            (
                "roles",
                "Роли и права",
                "Владельцы приглашают участников в организацию и решают, что может менять каждый.",
            ),
            (
                "deploy",
                "Развёртывание",
                "Опубликуйте сайт из главной ветки. Для каждого изменения строится предпросмотр.",
            ),
            (
                "limits",
                "Ограничение частоты",
                "Больше ста обращений в минуту отклоняются со статусом 429. Подождите и повторите.",
            ),
        ],
        questions: &[
            ("создание ключа", "keys"),
            ("проверка подписи", "webhooks"),
            ("возврат денег", "payment"),
            ("пригласить участника", "roles"),
            ("опубликовать сайт", "deploy"),
            ("отклонённые обращения", "limits"),
        ],
    },
    Language {
        code: "ar",
        pages: [
            (
                "keys",
                "مفاتيح الواجهة",
                "أنشئ مفتاح الوصول في لوحة التحكم وأرسله مع كل طلب. المفتاح المفقود يلغى ويستبدل.",
            ),
            (
                "webhooks",
                "إشعارات الخادم",
                "نبلغ الخادم بالأحداث. تحقق من التوقيع قبل أن تثق بالرسالة.",
            ),
            (
                "payment",
                "طرق الدفع",
                "ادفع الفاتورة بالبطاقة أو بالتحويل المصرفي. يستغرق الاسترداد خمسة أيام.",
            ),
            (
                "roles",
                "الأدوار والصلاحيات",
                "يدعو المالك الأعضاء إلى المنظمة ويحدد ما يستطيع كل منهم تغييره.",
            ),
            (
                "deploy",
                "النشر",
                "انشر الموقع من الفرع الرئيسي. تبنى معاينة لكل تعديل.",
            ),
            (
                "limits",
                "حدود المعدل",
                "ما زاد على مئة نداء في الدقيقة يرفض بالحالة 429. انتظر ثم أعد المحاولة.",
            ),
        ],
        questions: &[
            ("مفتاح مفقود", "keys"),
            ("توقيع", "webhooks"),
            ("للفاتورة", "payment"),
            ("إسترداد", "payment"),
            ("صلاحيات", "roles"),
            ("والأعضاء", "roles"),
            ("الموقِع", "deploy"),
            ("المعاينه", "deploy"),
            ("معـــدل", "limits"),
        ],
    },
    Language {
        code: "nl",
        pages: [
            (
                "keys",
                "Toegangssleutels",
                "Maak in het dashboard een toegang aan en stuur die mee met elk verzoek. Wat kwijt is wordt ingetrokken.",
            ),
            (
                "webhooks",
                "Meldingen",
                "We melden gebeurtenissen aan uw server. Controleer de berichthandtekening voordat u iets vertrouwt.",
            ),
            (
                "payment",
                "Betaalmethoden",
                "Betaal uw maandfactuur met een kaart of per overschrijving. Een terugbetaling duurt vijf dagen.",
            ),
            (
                "roles",
                "Rollen en rechten",
                "Eigenaars nodigen leden uit voor de organisatie en bepalen wie wat mag wijzigen.",
            ),
            (
                "deploy",
                "Uitrollen",
                "Publiceer de site vanaf de hoofdtak. Bij elke wijziging wordt een voorbeeld gebouwd.",
            ),
            (
                "limits",
                "Snelheidslimiet",
                "Meer dan honderd verzoeken per minuut worden geweigerd met status 429. Probeer het later.",
            ),
        ],
        questions: &[
            ("sleutel", "keys"),
            ("handtekening controleren", "webhooks"),
            ("factuur", "payment"),
            ("leden uitnodigen", "roles"),
            ("voorbeeld van de site", "deploy"),
            ("limiet", "limits"),
        ],
    },
    Language {
        code: "sv",
        pages: [
            (
                "keys",
                "Åtkomstnycklar",
                "Skapa en åtkomst i kontrollpanelen och skicka den med varje anrop. Det som tappas bort spärras.",
            ),
            (
                "webhooks",
                "Händelser",
                "Vi meddelar servern om händelser. Kontrollera avsändarsignaturen innan du litar på ett meddelande.",
            ),
            (
                "payment",
                "Betalningsmetoder",
                "Betala månadsfakturan med kort eller överföring. En återbetalning tar fem dagar.",
            ),
            (
                "roles",
                "Roller och behörigheter",
                "Ägare bjuder in medlemmar till organisationen och bestämmer vem som får ändra vad.",
            ),
            (
                "deploy",
                "Driftsättning",
                "Publicera webbplatsen från huvudgrenen. En förhandsvisning byggs för varje ändring.",
            ),
            (
                "limits",
                "Hastighetsgräns",
                "Fler än hundra anrop i minuten avvisas med status 429. Försök igen senare.",
            ),
        ],
        questions: &[
            ("nycklar", "keys"),
            ("signaturen", "webhooks"),
            ("fakturan", "payment"),
            ("medlemmar", "roles"),
            ("publicera webbplats", "deploy"),
            ("avvisade anrop", "limits"),
        ],
    },
    Language {
        code: "fi",
        pages: [
            (
                "keys",
                "Käyttöavaimet",
                "Luo hallintapaneelissa tunnus ja lähetä se jokaisen pyynnön mukana. Kadonnut tunnus perutaan.",
            ),
            (
                "webhooks",
                "Ilmoitukset",
                "Kerromme tapahtumista palvelimelle. Tarkista allekirjoitus ennen kuin luotat viestiin.",
            ),
            (
                "payment",
                "Maksutavat",
                "Maksa kuukausilasku kortilla tai tilisiirrolla. Hyvitys kestää viisi päivää.",
            ),
            (
                "roles",
                "Roolit ja oikeudet",
                "Omistajat kutsuvat jäseniä organisaatioon ja päättävät, kuka saa muuttaa mitä.",
            ),
            (
                "deploy",
                "Julkaisu",
                "Julkaise sivusto päähaarasta. Jokaisesta muutoksesta rakennetaan esikatselu.",
            ),
            (
                "limits",
                "Nopeusrajoitus",
                "Yli sata pyyntöä minuutissa hylätään tilalla 429. Yritä myöhemmin uudelleen.",
            ),
        ],
        questions: &[
            ("avaimet", "keys"),
            ("allekirjoituksen tarkistus", "webhooks"),
            ("jäsenet", "roles"),
            ("sivuston julkaisu", "deploy"),
            ("rajoitus", "limits"),
            ("hyvitys", "payment"),
        ],
    },
];

/// How many questions are known not to be answered: without a filter, where a word is also one of another language, and
/// with it.
const UNANSWERED: [usize; 2] = [2, 0];

fn library() -> Vec<SearchDocument> {
    let pages = LANGUAGES.iter().flat_map(|language| {
        language.pages.iter().map(|(name, title, text)| {
            let route = format!("/{}/{name}", language.code);
            let mut page = page(&route, title, &[("", text)]);
            page.facets.language = Some(language.code.to_owned());
            page
        })
    });
    pages.collect()
}

fn found(index: &Index, query: &str, language: Option<&str>) -> Vec<String> {
    let answer = index.search(&Question {
        query,
        limit: 50,
        filter: Filter {
            language: language.map(str::to_owned),
            ..Filter::default()
        },
        ..Question::default()
    });
    let found = answer.results.into_iter();
    found.map(|hit| hit.url.as_str().to_owned()).collect()
}

#[test]
fn questions_are_answered_in_their_language() {
    let index = index(&library());
    let (mut asked, mut wrong, mut wrong_under_filter) = (0, Vec::new(), Vec::new());
    for Language {
        code, questions, ..
    } in LANGUAGES
    {
        for (query, page) in *questions {
            asked += 1;
            let wanted = format!("/{code}/{page}");
            let of_all = found(&index, query, None);
            if of_all.first() != Some(&wanted) {
                wrong.push((query, of_all.first().cloned()));
            }
            let of_language = found(&index, query, Some(code));
            if of_language.first() != Some(&wanted) {
                wrong_under_filter.push((query, of_language.first().cloned()));
            }
            let of_others = of_language
                .iter()
                .filter(|route| !route.starts_with(&format!("/{code}/")));
            assert_eq!(of_others.count(), 0, "{query}: {of_language:?}");
        }
    }
    assert!(asked >= 69, "{asked}");
    assert!(wrong.len() <= UNANSWERED[0], "{asked}: {wrong:?}");
    assert!(
        wrong_under_filter.len() <= UNANSWERED[1],
        "{asked}: {wrong_under_filter:?}"
    );
}

#[test]
fn a_compound_comes_behind_the_word_itself() {
    let mut pages = library();
    let mut exact = page("/de/exact", "Schlüssel", &[("", "Schlüssel sind geheim.")]);
    exact.facets.language = Some("de".to_owned());
    pages.push(exact);
    let found = found(&index(&pages), "Schlüssel", Some("de"));
    assert_eq!(found, ["/de/exact", "/de/keys"]);
}

#[test]
fn compounds_that_are_gone_leave_nothing() {
    let clean = index(&library());
    let edited = index(&library());
    let mut more = page(
        "/de/more",
        "Schlüssel",
        &[("", "Hauptschlüssel, Zweitschlüssel, Zahlung, Einladung")],
    );
    more.facets.language = Some("de".to_owned());
    follow(&edited, std::slice::from_ref(&more));
    assert_eq!(found(&edited, "Schlüssel", Some("de")).len(), 2);
    let gone = Changes {
        gone: &[more.route],
        changed: &[],
    };
    edited.follow(&gone, |_, _| Vec::new()).expect("followed");
    for query in ["Schlüssel", "Mitgliedereinladung", "Methode", "Zahlung"] {
        assert_eq!(ask(&edited, query), ask(&clean, query), "{query}");
    }
}

#[test]
fn words_that_only_end_alike_are_no_compounds() {
    let with = |language: &str, route: &str, title: &str| {
        let mut page = page(route, title, &[("", "x")]);
        page.facets.language = Some(language.to_owned());
        page
    };
    let pages = [
        with("de", "/control", "Kontrolle"),
        with("de", "/role", "Benutzerrolle"),
        with("de", "/user", "Benutzer"),
        with("en", "/password", "Passwords"),
    ];
    let index = index(&pages);
    assert_eq!(found(&index, "Rolle", Some("de")), ["/role"]);
    // Languages that write words apart have no compounds.
    assert!(found(&index, "words", Some("en")).is_empty());
}

#[test]
fn long_identifiers_are_found_whole_and_by_their_parts() {
    let name = "listOrganizationRepositoryAdvancedSecurityVulnerabilityAlertsForEnterprise";
    let mut operation = page("/operation", "List alerts", &[("", "All of them.")]);
    operation.names = vec!["GET".to_owned(), "/alerts".to_owned(), name.to_owned()];
    let index = index(&[operation, page("/other", "Enterprise", &[("", "Security")])]);
    for query in [
        name,
        &name.to_lowercase(),
        "list_organization_repository_advanced_security_vulnerability_alerts_for_enterprise",
        "vulnerability alerts",
        "listOrganizationRepositoryAdvancedSecurityVulnerabilityAlerts",
    ] {
        let found = found(&index, query, None);
        assert_eq!(
            found.first().map(String::as_str),
            Some("/operation"),
            "{query}"
        );
    }
}
