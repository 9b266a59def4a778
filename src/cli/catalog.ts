import type { Command } from 'commander';
import type { CommandContext } from './context.ts';

export interface CommandEntry {
  readonly name: string;
  /** Options, arguments and subcommands as `lockhound --help` lists them. */
  readonly usage: string;
  readonly description: string;
  /** Loads what adds options, arguments, subcommands and the action to the command. */
  load(): Promise<(command: Command, context: CommandContext) => void>;
}

/** All commands. What `lockhound --help` shows is here, so that it loads none of them. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'scan',
    usage: '[options] [paths...]',
    description:
      'Scan lockfiles once, in this process, and print the findings. Nothing is stored, nobody is alerted.',
    load: async () => (await import('./scan.ts')).scanCommand,
  },
  {
    name: 'parse',
    usage: '[options] [paths...]',
    description: 'Read lockfiles and SBOMs and print what is in them. Nothing is looked up.',
    load: async () => (await import('./parse.ts')).parseCommand,
  },
  {
    name: 'worker',
    usage: '[options]',
    description: 'Work through the queues: scan what producers enqueue and alert on changes.',
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
    description: 'Look at, apply, test and remove what the platform holds of the configured webhooks.',
    load: async () => (await import('./webhook.ts')).webhookCommand,
  },
  {
    name: 'deliveries',
    usage: '',
    description: 'Look at deliveries of alerts, and have them sent again.',
    load: async () => (await import('./deliveries.ts')).deliveriesCommand,
  },
  {
    name: 'rejected',
    usage: '',
    description: 'Look at payloads that did not fit, correct them, put them back on their queues.',
    load: async () => (await import('./rejected.ts')).rejectedCommand,
  },
  {
    name: 'scans',
    usage: '',
    description: 'Look at scans: their state, duration, outcomes, gaps, changes and alerts.',
    load: async () => (await import('./scans.ts')).scansCommand,
  },
  {
    name: 'demo',
    usage: '',
    description: 'Show the main job on this machine: a lockfile goes in, an alert comes out.',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  {
    name: 'services',
    usage: '[options]',
    description:
      'Serve the local stand-ins: package insights, webhook integration, discovery and an alert receiver.',
    load: async () => (await import('./services.ts')).servicesCommand,
  },
  {
    name: 'api',
    usage: '',
    description:
      'Look at, check and call any API that has a description document (discovery#restDescription).',
    load: async () => (await import('./api/api.ts')).apiCommand,
  },
  {
    name: 'insights',
    usage: '',
    description: 'Ask the package-insights API: packages, versions, graphs, projects, advisories.',
    load: async () => (await import('./insights/command.ts')).insightsCommand,
  },
  {
    name: 'config',
    usage: '',
    description: 'Check the configuration.',
    load: async () => (await import('./config.ts')).configCommand,
  },
];
