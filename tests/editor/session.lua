-- A session of an author in Neovim, against `quire lsp`. Says each step, and ends with 1 at the first that fails.
-- nvim --headless --clean -l session.lua, or with `-S` before 0.9; QUIRE and SITE name the program and a copy of the site.

local quire, site = vim.env.QUIRE, vim.env.SITE

local function ended(code)
  io.stdout:flush()
  vim.cmd(code == 0 and "qall!" or "cquit 1")
end

local function step(name, holds, shown)
  io.stdout:write((holds and "ok   " or "FAIL ") .. name .. (shown and ": " .. shown or "") .. "\n")
  if not holds then
    ended(1)
    error("failed")
  end
end

--- Waits until `condition` holds, at most 60 s.
local function wait(name, condition)
  step(name, vim.wait(60000, condition, 20))
end

vim.cmd("edit " .. site .. "/start.mdx")
local buffer = vim.api.nvim_get_current_buf()
local client_id = vim.lsp.start_client({ name = "quire", cmd = { quire, "lsp" }, root_dir = site,
  workspace_folders = { { uri = vim.uri_from_fname(site), name = "site" } } })
vim.lsp.buf_attach_client(buffer, client_id)
wait("the server starts", function()
  local client = vim.lsp.get_client_by_id(client_id)
  return client and client.initialized
end)

--- Position of the end of `words` in the buffer.
local function after(words)
  for line, text in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local _, last = text:find(words, 1, true)
    if last then
      return line - 1, last
    end
  end
  step("find " .. words, false)
end

local function request(method, words, more)
  local line, column = after(words)
  local params = vim.tbl_extend("force", {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = { line = line, character = column },
  }, more or {})
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 60000) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
end

local function labels(result)
  local found = {}
  for _, item in ipairs(result.items) do
    table.insert(found, item.label)
  end
  return found
end

-- A link is typed: completed, followed, and found wrong.
vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { "", "See [here](/gui)." })
local pages = labels(request("textDocument/completion", "(/gui"))
step("completion of a link", vim.tbl_contains(pages, "/guides/first"), table.concat(pages, " "))
wait("a finding about it", function()
  for _, found in ipairs(vim.diagnostic.get(buffer)) do
    if found.code == "broken-link" then
      return true
    end
  end
end)
local last = vim.api.nvim_buf_line_count(buffer)
vim.api.nvim_buf_set_lines(buffer, last - 1, last, false, { "See [here](/guides/first)." })
wait("no finding once it leads somewhere", function()
  return #vim.diagnostic.get(buffer) == 0
end)
local target = request("textDocument/definition", "(/guides/fi")
step("definition of a link", target.uri:find("guides/first.mdx", 1, true) ~= nil, target.uri:match("[^/]*$"))
local hover = request("textDocument/hover", "<Ca")
step("hover on a component", hover.contents.value:find("href", 1, true) ~= nil)

-- A component is typed.
vim.api.nvim_buf_set_lines(buffer, -1, -1, false, { "", '<Card icon="rock' })
local icons = labels(request("textDocument/completion", 'icon="rock'))
step("completion of an icon", vim.tbl_contains(icons, "rocket"), icons[1])
last = vim.api.nvim_buf_line_count(buffer)
vim.api.nvim_buf_set_lines(buffer, last - 2, last, false, {})
vim.cmd("write")

-- A heading is renamed with the links to it.
vim.cmd("edit " .. site .. "/guides/first.mdx")
buffer = vim.api.nvim_get_current_buf()
vim.lsp.buf_attach_client(buffer, client_id)
local edit = request("textDocument/rename", "## Part o", { newName = "The beginning" })
vim.lsp.util.apply_workspace_edit(edit, "utf-16")
vim.cmd("wall")
local function text_of(path)
  local file = assert(io.open(site .. "/" .. path))
  local text = file:read("*a")
  file:close()
  return text
end
step("rename of a heading", text_of("guides/first.mdx"):find("## The beginning", 1, true) ~= nil)
step("its links follow", text_of("guides/second.mdx"):find("first#the-beginning", 1, true) ~= nil)
vim.lsp.stop_client(client_id)
ended(0)
