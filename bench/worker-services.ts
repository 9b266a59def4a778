import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startInsightsService } from '../src/embedded/insights/service.ts';

/*
 * The services for the workers of `worker.ts`, in a separate process: the local insights service with the bundled data, and
 * a receiver of alerts. Writes both URLs to standard output, then a line for each alert; ends with its parent.
 */
const insights = await startInsightsService();
const receiver = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    response.writeHead(204).end();
    process.stdout.write('alert\n');
  });
});
receiver.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${insights.url} http://127.0.0.1:${(receiver.address() as AddressInfo).port}\n`);
});
process.stdin.resume().once('end', () => process.exit());
