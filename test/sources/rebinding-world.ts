import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import { publicAddressesOnly } from '../../src/http/address-guard.ts';
import { createHttpClient } from '../../src/http/undici-client.ts';
import { sourceRoom } from './reading.ts';
import { openRepositories, serveRepositories } from './repositories.ts';

/*
 * A program for a network and a file system of its own (see rebinding.test.ts): a name server whose first answer for a name is a
 * public address, and each later one the own machine. It prints what was connected to as JSON.
 */
const PUBLIC = '198.41.0.4';
const PORT = 8_080;
const asked = new Map<string, number>();

function nameServer() {
  const server = createSocket('udp4', (query, from) => {
    const end = query.indexOf(0, 12) + 1;
    const [name, type] = [query.toString('latin1', 12, end), query.readUInt16BE(end)];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(type === 1 ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    const count = asked.get(name) ?? 0;
    if (type === 1) asked.set(name, count + 1);
    const address = (count === 0 ? PUBLIC : '127.0.0.1').split('.').map(Number);
    // The name of the question, type A, class IN, valid for no time, four bytes.
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address]);
    const question = query.subarray(12, end + 4);
    server.send(
      Buffer.concat(type === 1 ? [header, question, answer] : [header, question]),
      from.port,
      from.address,
    );
  });
  server.bind(53, '127.0.0.1');
  return server;
}

const repositories = openRepositories();
repositories.create('shop', { 'go.sum': 'public' });
const git = await serveRepositories(repositories.root);
const connections = { public: 0, private: 0, ssh: 0, privateSsh: 0 };
const servers = [
  createServer((socket) => {
    connections.public += 1;
    const behind = connect(Number(new URL(git.url).port), '127.0.0.1');
    socket.pipe(behind).pipe(socket);
    for (const one of [socket, behind]) one.on('error', () => {});
  }).listen(PORT, PUBLIC),
  createHttpServer((_request, response) => void response.end('private'))
    .on('connection', () => {
      connections.private += 1;
    })
    .listen(PORT, '127.0.0.1'),
  createServer((socket) => {
    connections.ssh += 1;
    socket.destroy();
  }).listen(22, PUBLIC),
  createServer((socket) => {
    connections.privateSsh += 1;
    socket.destroy();
  }).listen(22, '127.0.0.1'),
];
const names = nameServer();
await Promise.all([...servers, names].map((one) => once(one, 'listening')));

const guard = publicAddressesOnly();
const room = sourceRoom({ guard });
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error) => error.code,
  );
const outcomes: Record<string, unknown> = {};
const http = createHttpClient({ guard });
for (const turn of ['first', 'second']) {
  const sent = http.send({
    method: 'GET',
    url: `http://http.example:${PORT}/x`,
    headers: { connection: 'close' },
  });
  outcomes[`http, ${turn}`] = await outcome(sent);
}
const source = { kind: 'git', repository: `http://git.example:${PORT}/shop`, ref: 'HEAD' };
outcomes['git, first'] = room.listed(await room.read(source));
outcomes['git, second'] = await outcome(room.read(source));
outcomes['ssh'] = await outcome(room.read({ ...source, repository: 'git@ssh.example:shop' }));
process.stdout.write(JSON.stringify({ outcomes, connections }));
repositories.close();
process.exit(0);
