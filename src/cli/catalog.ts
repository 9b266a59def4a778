import type { Command } from 'commander';
import type { CommandContext } from './context.ts';

export interface CommandEntry {
  readonly name: string;
  /** Options and arguments as `lockhound --help` lists them. */
  readonly usage: string;
  readonly description: string;
  /** Loads the function that adds options, arguments, subcommands and the action to the command. */
  load(): Promise<(command: Command, context: CommandContext) => void>;
}

/** All commands, with what `lockhound --help` shows, so that it does not load them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'scan',
    usage: '[options] [paths...]',
    description:
      'Scan lockfiles once, in this process, and print the findings. Stores nothing and sends no alerts.',
    load: async () => (await import('./scan.ts')).scanCommand,
  },
  {
    name: 'parse',
    usage: '[options] [paths...]',
    description: 'Read lockfiles and SBOMs and print their contents. Looks nothing up.',
    load: async () => (await import('./parse.ts')).parseCommand,
  },
  {
    name: 'worker',
    usage: '[options]',
    description: 'Process the queues: scan what producers enqueue and send alerts on changes.',
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  {
    name: 'enqueue',
    usage: '[options] <paths...>',
    description: 'Put lockfiles on the queue for the workers, as other services do.',
    load: async () => (await import('./enqueue.ts')).enqueueCommand,
  },
  {
    name: 'webhook',
    usage: '',
    description: 'Show, apply, test and remove the configured webhooks on the platform.',
    load: async () => (await import('./webhook.ts')).webhookCommand,
  },
  {
    name: 'deliveries',
    usage: '',
    description: 'Show deliveries of alerts and send them again.',
    load: async () => (await import('./deliveries.ts')).deliveriesCommand,
  },
  {
    name: 'rejected',
    usage: '',
    description: 'Show invalid payloads, correct them, and put them back on their queues.',
    load: async () => (await import('./rejected.ts')).rejectedCommand,
  },
  {
    name: 'scans',
    usage: '',
    description: 'Show scans: state, duration, outcomes, gaps, changes and alerts.',
    load: async () => (await import('./scans.ts')).scansCommand,
  },
  {
    name: 'demo',
    usage: '',
    description: 'Run the whole pipeline on this machine: from a lockfile to an alert.',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  {
    name: 'services',
    usage: '[options]',
    description:
      'Serve local versions of package insights, webhook integration, discovery and an alert receiver.',
    load: async () => (await import('./services.ts')).servicesCommand,
  },
  {
    name: 'api',
    usage: '',
    description: 'Show, check and call any API that has a description document (discovery#restDescription).',
    load: async () => (await import('./api/api.ts')).apiCommand,
  },
  {
    name: 'insights',
    usage: '',
    description: 'Query the package-insights API: packages, versions, graphs, projects, advisories.',
    load: async () => (await import('./insights/command.ts')).insightsCommand,
  },
  {
    name: 'config',
    usage: '',
    description: 'Check the configuration.',
    load: async () => (await import('./config.ts')).configCommand,
  },
];
