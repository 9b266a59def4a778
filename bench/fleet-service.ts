import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { advisoryIdsOf, publishedAtOf } from './fleet-data.ts';

/*
 * A package-insights service in a separate process with every package version of `fleet.ts`, in pages of 100. Input lines
 * `advisory <package> <id>` add an advisory. It counts requests (`/stats`: pages, advisories, and packages for advice) and receives
 * alerts. Writes its URL to standard output, then
 * a line for each alert; ends with its parent.
 */
const PAGE = 100;
const added = new Map<number, string>();
const requests = { pages: 0, advisories: 0, packages: 0 };

const server = createServer(async (request, response) => {
  const { url = '' } = request;
  const body = await bodyOf(request);
  if (url === '/alert') {
    process.stdout.write(`alert ${body.length}\n`);
    response.writeHead(204).end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(url, body));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [, index = '', id = ''] = line.split(' ');
    added.set(Number(index), id);
    process.stdout.write('added\n');
  })
  .once('close', () => process.exit());

function answerTo(url: string, body: string): string {
  if (url === '/stats') return JSON.stringify(requests);
  const advisory = /\/advisories\/(GHSA-[\w-]+)/.exec(url)?.[1];
  if (advisory !== undefined) {
    requests.advisories += 1;
    return JSON.stringify(advisoryOf(advisory));
  }
  const name = /\/packages\/(package-\d+)$/.exec(url)?.[1];
  if (name !== undefined) {
    requests.packages += 1;
    return JSON.stringify(packageOf(name));
  }
  requests.pages += 1;
  return pageOf(body);
}

/** Its only version, so that no other one fixes anything. */
function packageOf(name: string): object {
  const packageKey = { system: 'NPM', name };
  const versionKey = { ...packageKey, version: '1.0.0' };
  return { packageKey, versions: [{ versionKey, publishedAt: '2024-03-01T12:00:00Z', isDefault: true }] };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function pageOf(body: string): string {
  const { requests: all } = JSON.parse(body) as { requests: readonly { purl: string }[] };
  const responses = all.slice(0, PAGE).map(({ purl }) => {
    const index = Number(/^pkg:npm\/package-(\d+)@/.exec(purl)?.[1]);
    const ids = [...advisoryIdsOf(index), ...(added.has(index) ? [added.get(index)] : [])];
    return {
      request: { purl },
      result: {
        version: {
          versionKey: { system: 'NPM', name: `package-${index}`, version: '1.0.0' },
          publishedAt: publishedAtOf(index),
          isDefault: true,
          licenses: ['MIT'],
          advisoryKeys: ids.map((id) => ({ id })),
          links: [{ label: 'SOURCE_REPO', url: `https://github.com/example/package-${index}` }],
        },
      },
    };
  });
  return JSON.stringify({ responses, nextPageToken: all.length > PAGE ? String(PAGE) : '' });
}

function advisoryOf(id: string): object {
  return {
    advisoryKey: { id },
    url: `https://osv.dev/vulnerability/${id}`,
    title: `Issue ${id}`,
    aliases: [],
    cvss3Score: 7.5,
    cvss3Vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
  };
}
