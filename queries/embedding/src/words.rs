//! Text as the vocabulary spells it: lower case, no accents, cut at white space and at every sign.

/// The letters of U+00C0 to U+024F, in lower case and without their accents.
const LATIN: &str = "\
    aaaaaaæceeeeiiiiðnooooo×øuuuuyþßaaaaaaæceeeeiiiiðnooooo÷øuuuuyþyaaaaaaccccccccdd\
    đđeeeeeeeeeegggggggghhħħiiiiiiiiiıĳĳjjkkĸllllllŀŀłłnnnnnnŉŋŋooooooœœrrrrrrssssss\
    ssttttŧŧuuuuuuuuuuuuwwyyyzzzzzzſƀɓƃƃƅƅɔƈƈɖɗƌƌƍǝəɛƒƒɠɣƕɩɨƙƙƚƛɯɲƞɵooƣƣƥƥʀƨƨʃƪƫƭƭʈu\
    uʊʋƴƴƶƶʒƹƹƺƻƽƽƾƿǀǁǂǃǆǆǆǉǉǉǌǌǌaaiioouuuuuuuuuuǝaaaaææǥǥggkkooooʒʒjǳǳǳggƕƿnnaaææøø\
    aaaaeeeeiiiioooorrrruuuussttȝȝhhƞȡȣȣȥȥaaeeooooooooyyȴȵȶȷȸȹⱥȼȼƚⱦȿɀɂɂƀʉʌɇɇɉɉɋɋɍɍɏɏ";

/// Base letters of U+1E00 to U+1EFF.
const LATIN_ADDITIONAL: &str = "\
    aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooo\
    oooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwyẚſẜẝßẟ\
    aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuu\
    uuyyyyyyyyỻỻỽỽỿỿ";

/// Spelling of non-ASCII letters.
pub(super) struct Folding {
    latin: Vec<char>,
    additional: Vec<char>,
}

impl Folding {
    pub(super) fn new() -> Self {
        Self {
            latin: LATIN.chars().collect(),
            additional: LATIN_ADDITIONAL.chars().collect(),
        }
    }

    /// Calls `word` with each word and each sign of `text`. Marks without a width and accents by themselves are nothing.
    ///
    /// A sign that is none of Unicode's punctuation ends a word too: `a→b` is two words. (The tokenizer that the model was
    /// made with knows no such word at all.)
    pub(super) fn words(&self, text: &str, mut word: impl FnMut(&[u8])) {
        let mut pending: Vec<u8> = Vec::with_capacity(32);
        for c in text.chars() {
            if c.is_ascii_alphanumeric() {
                pending.push(c.to_ascii_lowercase() as u8);
                continue;
            }
            if is_nothing(c) {
                continue;
            }
            if c.is_alphanumeric() {
                self.push(&mut pending, c);
                continue;
            }
            if !pending.is_empty() {
                word(&pending);
                pending.clear();
            }
            if !c.is_whitespace() {
                let mut sign = [0; 4];
                word(c.encode_utf8(&mut sign).as_bytes());
            }
        }
        if !pending.is_empty() {
            word(&pending);
        }
    }

    fn push(&self, pending: &mut Vec<u8>, c: char) {
        let folded = match c as u32 {
            code @ 0xc0..0x250 => self.latin.get(code as usize - 0xc0),
            code @ 0x1e00..0x1f00 => self.additional.get(code as usize - 0x1e00),
            _ => None,
        };
        let mut bytes = [0; 4];
        match folded {
            Some(folded) => pending.extend_from_slice(folded.encode_utf8(&mut bytes).as_bytes()),
            None => {
                for lower in c.to_lowercase() {
                    pending.extend_from_slice(lower.encode_utf8(&mut bytes).as_bytes());
                }
            }
        }
    }
}

/// Returns true if a character is dropped: controls, zero-width marks, combining accents.
fn is_nothing(c: char) -> bool {
    (c.is_control() && !matches!(c, '\t' | '\n' | '\r'))
        || matches!(
            c,
            '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{2064}' | '\u{feff}'
        )
}
