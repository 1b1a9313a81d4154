// An API that writes down every request, to the byte, and answers as its path says; any page may ask it.
import { createServer } from "node:http";

const cors = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "*",
  "Access-Control-Allow-Headers": "*, Authorization",
  "Access-Control-Expose-Headers": "*",
};

/** Starts it on a free port. `requests` holds what came: method, target, headers as name and value, body as bytes. */
export async function startRecorder() {
  const requests = [];
  const waiting = [];
  const open = new Set();
  const answers = new Map();
  const server = createServer(async (request, response) => {
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = [];
    for (let i = 0; i < request.rawHeaders.length; i += 2)
      headers.push([request.rawHeaders[i], request.rawHeaders[i + 1]]);
    const record = { method: request.method, target: request.url, headers, body: Buffer.concat(chunks) };
    requests.push(record);
    waiting.splice(0).forEach((resolve) => resolve());
    const answer = answers.get(request.url.split("?")[0]) ?? { body: "{}" };
    if (typeof answer === "function") return answer(response, cors, record);
    response.writeHead(answer.status ?? 200, { ...cors, "Content-Type": "application/json", ...answer.headers });
    response.end(answer.body);
  });
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    requests,
    /** What the path answers: `{status, headers, body}`, or a function that writes. */
    answer: (path, reply) => answers.set(path, reply),
    /** The request after `count` others. */
    request: async (count) => {
      while (requests.length <= count) await new Promise((resolve) => waiting.push(resolve));
      return requests[count];
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const header = (record, name) => record.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
