import type { ManagerName } from './tools.ts';

/** A project that real packages are put together to. */
export interface CheckedProject {
  readonly name: string;
  readonly manager: ManagerName;
  /** Published applications, by name and version. Several are the members of a workspace. */
  readonly members: readonly string[];
  /** Whether its lockfile is the one of the archive. Managers that write another format read it. */
  readonly isPublished?: boolean;
  /** A program that starts the application in the folder of its first member and ends without an error, as arguments of Node. */
  readonly start: readonly string[];
  /** Whether the lockfile is scanned without the manifest beside it. */
  readonly isLone?: boolean;
}

/** Modules of an application are loaded. */
const loads = (...modules: readonly string[]) => [
  '-e',
  `${modules.map((one) => `require('${one}');`).join(' ')} process.exit(0)`,
];

/** An instance of json-server answers a request. */
const JSON_SERVER = [
  '-e',
  `const server = require('./lib/server');
  const app = server.create();
  app.use(server.defaults({ logger: false }));
  app.use(server.bodyParser);
  app.use(server.rewriter({ '/all/*': '/$1' }));
  app.use(server.router({ books: [{ id: 1, name: 'one' }] }));
  const listening = app.listen(0, async () => {
    const answer = await fetch('http://127.0.0.1:' + listening.address().port + '/books?id=1&_sort=name');
    const [book] = await answer.json();
    process.exit(answer.status === 200 && book.name === 'one' ? 0 : 1);
  });`,
];

const SHOP_MEMBERS = ['json-server@0.16.1', 'http-server@0.12.3', 'mocha@8.3.0'];

export const PROJECTS: readonly CheckedProject[] = [
  {
    name: 'serverless',
    manager: 'npm',
    members: ['serverless@1.40.0'],
    isPublished: true,
    start: ['bin/serverless', '--help'],
  },
  {
    name: 'firebase',
    manager: 'npm',
    members: ['firebase-tools@7.16.2'],
    isPublished: true,
    start: ['lib/bin/firebase.js', '--help'],
  },
  {
    name: 'cdk',
    manager: 'npm',
    members: ['aws-cdk@1.90.0'],
    isPublished: true,
    start: ['bin/cdk', '--help'],
  },
  {
    name: 'json-server',
    manager: 'npm',
    members: ['json-server@0.16.1'],
    start: JSON_SERVER,
  },
  {
    name: 'appcenter',
    manager: 'pnpm',
    members: ['appcenter-cli@2.7.0'],
    start: ['dist/index.js', 'help'],
  },
  {
    name: 'newman',
    manager: 'yarn',
    members: ['newman@4.5.0'],
    start: ['bin/newman.js', '--help'],
  },
  {
    name: 'ghost-cli-pnpm',
    manager: 'pnpm',
    members: ['ghost-cli@1.15.3'],
    isPublished: true,
    start: ['bin/ghost', '--help'],
  },
  {
    name: 'ghost-cli',
    manager: 'yarn',
    members: ['ghost-cli@1.15.3'],
    isPublished: true,
    start: ['bin/ghost', '--help'],
  },
  {
    name: 'ghost-cli-yarn-modern',
    manager: 'yarn-modern',
    members: ['ghost-cli@1.15.3'],
    isPublished: true,
    start: ['bin/ghost', '--help'],
  },
  {
    name: 'lone-yarn-lock',
    manager: 'yarn',
    members: ['json-server@0.16.1'],
    start: JSON_SERVER,
    isLone: true,
  },
  {
    name: 'verdaccio',
    manager: 'yarn-modern',
    members: ['verdaccio@4.4.0'],
    start: loads('./build/index.js'),
  },
  { name: 'json-server-bun', manager: 'bun', members: ['json-server@0.16.1'], start: JSON_SERVER },
  { name: 'npm-workspace', manager: 'npm', members: SHOP_MEMBERS, start: JSON_SERVER },
  { name: 'pnpm-workspace', manager: 'pnpm', members: SHOP_MEMBERS, start: JSON_SERVER },
  { name: 'yarn-workspace', manager: 'yarn', members: SHOP_MEMBERS, start: JSON_SERVER },
  {
    name: 'yarn-modern-workspace',
    manager: 'yarn-modern',
    members: SHOP_MEMBERS,
    start: JSON_SERVER,
  },
];
