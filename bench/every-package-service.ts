import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * A package-insights service in a separate process with every npm package version of `large-scan.ts`, each with one
 * advisory; the argument is the number of advisories. It also receives alerts. Writes its URL to standard output, then a
 * line for each alert; ends with its parent.
 */
const advisories = Number(process.argv[2]);

const server = createServer(async (request, response) => {
  const { url = '' } = request;
  const body = await bodyOf(request);
  if (url === '/alert') {
    process.stdout.write(`alert ${body.length}\n`);
    response.writeHead(204).end();
    return;
  }
  const advisory = /\/advisories\/GHSA-(\d+)/.exec(url)?.[1];
  const name = /\/packages\/(package-\d+)$/.exec(url)?.[1];
  response.writeHead(200, { 'content-type': 'application/json' });
  if (advisory !== undefined) response.end(JSON.stringify(advisoryOf(Number(advisory))));
  else response.end(name === undefined ? versionsOf(body) : JSON.stringify(packageOf(name)));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().once('end', () => process.exit());

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function versionsOf(body: string): string {
  const { requests } = JSON.parse(body) as { requests: readonly { purl: string }[] };
  const responses = requests.map(({ purl }) => {
    const [, name = '', version = ''] = /^pkg:npm\/(.*)@(.*)$/.exec(purl) ?? [];
    const id = `GHSA-${Number(name.replace('package-', '')) % advisories}`;
    const facts = { isDefault: true, licenses: ['MIT'], advisoryKeys: [{ id }] };
    return {
      request: { purl },
      result: { version: { versionKey: { system: 'NPM', name, version }, ...facts } },
    };
  });
  return JSON.stringify({ responses, nextPageToken: '' });
}

/** Its only version, so that no other one fixes anything. */
function packageOf(name: string): object {
  const packageKey = { system: 'NPM', name };
  const versionKey = { ...packageKey, version: '1.0.0' };
  return { packageKey, versions: [{ versionKey, publishedAt: '2024-03-01T12:00:00Z', isDefault: true }] };
}

function advisoryOf(index: number): object {
  return {
    advisoryKey: { id: `GHSA-${index}` },
    url: `https://osv.dev/vulnerability/GHSA-${index}`,
    title: `Issue ${index}`,
    aliases: [`CVE-2026-${index}`],
    cvss3Score: (index % 100) / 10,
    cvss3Vector: '',
  };
}
