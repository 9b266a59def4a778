import type { Command } from 'commander';
import type { Noun } from './operations/noun.ts';
import type { CommandContext } from './program/terminal.ts';

type Group = 'Scan' | 'Ask about what is watched' | 'Run';

export interface CommandEntry {
  readonly name: string;
  /** Options and arguments as `lockhound --help` lists them. Default: `[options]`. */
  readonly usage?: string;
  readonly description: string;
  /** The group under which `lockhound --help` lists it; a command without one is only named there. */
  readonly group?: Group;
  /** Loads the function that adds options, arguments, subcommands and the action to the command. */
  load(): Promise<(command: Command, context: CommandContext) => void>;
}

/** Loads the command of a noun, which is derived from the description document. */
async function noun(name: string, load: () => Promise<{ readonly NOUN: Noun }>) {
  const { nounCommand } = await import('./operations/noun-command.ts');
  return await nounCommand(name, (await load()).NOUN);
}

/** All commands, with what `lockhound --help` shows, so that it does not load them. */
const BY_NAME: Readonly<Record<string, Omit<CommandEntry, 'name'>>> = {
  scan: {
    group: 'Scan',
    usage: '[options] [paths...]',
    description:
      'Scan lockfiles once, in this process, and print the findings. Stores nothing and sends no alerts.',
    load: async () => (await import('./scan.ts')).scanCommand,
  },
  fix: {
    group: 'Scan',
    usage: '[options] [paths...]',
    description: 'Print the upgrades that clear most findings of lockfiles, with commands. Changes nothing.',
    load: async () => (await import('./fix.ts')).fixCommand,
  },
  exceptions: {
    usage: '[options] [path]',
    description: 'List what overrules the tools of a project, and what of it can be removed.',
    load: async () => (await import('./exceptions.ts')).exceptionsCommand,
  },
  check: {
    usage: '[options] <packages...>',
    description: 'Ask whether packages may be added: allow, warn or block, with reasons.',
    load: () => noun('check', () => import('./operations/nouns/check.ts')),
  },
  mcp: {
    description: 'Serve the questions of agents by the Model Context Protocol, on standard input and output.',
    load: async () => (await import('./mcp.ts')).mcpCommand,
  },
  parse: {
    usage: '[options] [paths...]',
    description: 'Read lockfiles and SBOMs and print their contents. Looks nothing up.',
    load: async () => (await import('./parse.ts')).parseCommand,
  },
  ci: {
    group: 'Scan',
    usage: '',
    description: 'Scan in a job of a code host: compare with the base, upload, comment, set outputs.',
    load: async () => (await import('./ci.ts')).ciCommand,
  },
  diff: {
    usage: '[options] <old> <new>',
    description: 'Compare the packages of lockfiles: files, folders or git revisions.',
    load: async () => (await import('./diff.ts')).diffCommand,
  },
  sbom: {
    usage: '[options] [paths...]',
    description: 'Read lockfiles and write a CycloneDX SBOM. Looks nothing up.',
    load: async () => (await import('./sbom.ts')).sbomCommand,
  },
  worker: {
    group: 'Run',
    description: 'Process the queues: scan what producers enqueue and send alerts on changes.',
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  serve: {
    group: 'Run',
    description: 'Serve the API: targets, findings, scans, deliveries and schedules of the fleet.',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  tokens: {
    description: 'Create, list and revoke tokens of the API.',
    load: () => noun('tokens', () => import('./operations/nouns/tokens.ts')),
  },
  enqueue: {
    group: 'Run',
    usage: '[options] [paths...]',
    description: 'Put lockfiles on the queue for the workers, as other services do.',
    load: async () => (await import('./enqueue.ts')).enqueueCommand,
  },
  webhook: {
    group: 'Run',
    usage: '',
    description: 'Show, apply, test and remove the configured webhooks on the platform.',
    load: async () => (await import('./webhook.ts')).webhookCommand,
  },
  deliveries: {
    description: 'Show deliveries of alerts and send them again.',
    load: () => noun('deliveries', () => import('./operations/nouns/deliveries.ts')),
  },
  rejected: {
    description: 'Show invalid payloads, correct them, and put them back on their queues.',
    load: () => noun('rejected', () => import('./operations/nouns/rejected.ts')),
  },
  scans: {
    description: 'Show scans: state, duration, outcomes, gaps, changes and alerts.',
    load: () => noun('scans', () => import('./operations/nouns/scans.ts')),
  },
  schedules: {
    description: 'Add, show, run, pause and remove schedules that read sources at regular times.',
    load: () => noun('schedules', () => import('./operations/nouns/schedules.ts')),
  },
  targets: {
    group: 'Ask about what is watched',
    description: 'Show what is watched: targets with their findings, lockfiles and scans; remove a target.',
    load: () => noun('targets', () => import('./operations/nouns/targets.ts')),
  },
  data: {
    usage: '',
    description: 'Import and show advisories in OSV format and lists about exploitation: EPSS and KEV.',
    load: async () => (await import('./data.ts')).dataCommand,
  },
  where: {
    group: 'Ask about what is watched',
    usage: '[options] <package> [range]',
    description: 'Show which targets hold a package: version, lockfile, dependency path, groups.',
    load: () => noun('where', () => import('./operations/nouns/where.ts')),
  },
  watch: {
    usage: '',
    description:
      'Follow a package in the fleet: when each version was first seen, and which targets took it.',
    load: () => noun('watch', () => import('./operations/nouns/watch.ts')),
  },
  findings: {
    group: 'Ask about what is watched',
    description: 'Show the findings of all targets, the worst first.',
    load: () => noun('findings', () => import('./operations/nouns/findings.ts')),
  },
  ignore: {
    description: 'Suppress findings of the whole fleet, list suppressions and end them.',
    load: () => noun('ignore', () => import('./operations/nouns/ignore.ts')),
  },
  changes: {
    group: 'Ask about what is watched',
    description: 'Show what changed: findings that opened, worsened, were resolved or reopened.',
    load: () => noun('changes', () => import('./operations/nouns/changes.ts')),
  },
  dossier: {
    usage: '[options] <subject>',
    description:
      'Report an exploited component: affected products, since when, who was told; as HTML and CSAF.',
    load: () => noun('dossier', () => import('./operations/nouns/dossier.ts')),
  },
  policy: {
    usage: '',
    description:
      'Try a policy on the past: how many alerts it would have sent, and what it would have missed.',
    load: () => noun('policy', () => import('./operations/nouns/policy.ts')),
  },
  simulate: {
    usage: '',
    description: 'Show which targets and routes a new advisory would reach. Sends nothing.',
    load: () => noun('simulate', () => import('./operations/nouns/simulate.ts')),
  },
  health: {
    group: 'Run',
    description: 'Say in words whether the deployment works, what the bottleneck is and what to do.',
    load: () => noun('health', () => import('./operations/nouns/health.ts')),
  },
  doctor: {
    group: 'Run',
    description: 'Check the installation: Redis, services, receivers, schedules, queues, workers.',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  shards: {
    usage: '',
    description: 'Spread the targets over another number of shards of a Redis Cluster.',
    load: async () => (await import('./shards.ts')).shardsCommand,
  },
  ledger: {
    usage: '',
    description: 'Import the history of a repository into the ledger of a target.',
    load: async () => (await import('./ledger.ts')).ledgerCommand,
  },
  demo: {
    group: 'Scan',
    description: 'Run the whole pipeline on this machine: from a lockfile to an alert.',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  services: {
    description:
      'Serve local versions of package insights, webhook integration, discovery and an alert receiver.',
    load: async () => (await import('./services.ts')).servicesCommand,
  },
  api: {
    usage: '',
    description: 'Show, check and call any API that has a description document (discovery#restDescription).',
    load: async () => (await import('./api/api.ts')).apiCommand,
  },
  insights: {
    usage: '',
    description: 'Query the package-insights API: packages, versions, graphs, projects, advisories.',
    load: async () => await (await import('./insights/command.ts')).insightsCommand(),
  },
  config: {
    usage: '',
    description: 'Check the configuration.',
    load: async () => (await import('./config.ts')).configCommand,
  },
};

export const COMMANDS: readonly CommandEntry[] = Object.entries(BY_NAME).map(([name, entry]) => ({
  name,
  ...entry,
}));
