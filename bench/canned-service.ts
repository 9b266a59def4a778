import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cannedBatch } from './canned-batch.ts';

/*
 * A package-insights service with almost no cost, in a separate process: every batch of up to the given number of entries
 * (the argument) gets the same bytes. Writes its URL to standard output; ends with its parent.
 */
const page = Buffer.from(cannedBatch(Number(process.argv[2])));

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length });
    response.end(page);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().once('end', () => process.exit());
