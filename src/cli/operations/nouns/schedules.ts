import type { Command } from 'commander';
import { defined } from '../../../model/defined.ts';
import { CommandError } from '../../program/errors.ts';
import type { Noun } from '../noun.ts';

export const NOUN: Noun = {
  verbs: {
    list: {
      items: 'schedules',
      columns: {
        schedules: 'name target everyMs cron timeZone paused nextRun targets failing open',
      },
    },
    get: {},
    add: {
      args: ['name'],
      body: {
        made: ['source'],
        options: withSource,
        complete: (typed, options) => ({ ...typed, source: sourceOf(options) }),
      },
      text: ({ name }: { readonly name: string }) => `Schedule ${name} is added.\n`,
    },
    run: { text: (_done, { params }) => `A run of schedule ${params['schedule']} is enqueued.\n` },
    pause: { text: ({ name }: { readonly name: string }) => `Schedule ${name} is paused.\n` },
    resume: { text: ({ name }: { readonly name: string }) => `Schedule ${name} is resumed.\n` },
    remove: { text: (_done, { params }) => `Schedule ${params['schedule']} is removed.\n` },
    forget: {
      text: (_done, { params }) =>
        `Target ${params['target']} of schedule ${params['schedule']} is forgotten.\n`,
    },
  },
  examples: `
Examples:
  lockhound schedules add shop --git https://github.com/acme/shop.git --every 6h
  lockhound schedules add acme --git https://git.example/a.git --git https://git.example/b.git --target '$NAME' --cron '0 6 * * 1-5' --time-zone Europe/Berlin
  lockhound schedules add sboms --path '/srv/sboms/*.cdx.json' --every 1h --label team=platform
  lockhound schedules get acme                runs and targets, those that cannot be read first
  lockhound schedules run acme                start a run now

Schedules of the configuration (\`schedules\`) can be paused, and not removed. docs/schedules.md describes sources.
Exit codes: 0 done, 2 an error or no such schedule.`,
};

function withSource(command: Command): void {
  command
    .option('--git <url>', 'repository: URL or absolute path; can be repeated, each is one target', collect)
    .option('--url <url>', 'lockfile or SBOM; can be repeated, each is one target', collect)
    .option('--path <glob>', 'files and folders on the worker; can be repeated', collect)
    .option('--ref <name>', 'branch or tag of the repositories (default: their default branch)')
    .option('--as <format>', 'format of the files at --url')
    .option('--one-target', 'all matches of --path are one target')
    .option('--exclude <pattern>', 'leave files out, in the notation of .gitignore; can be repeated', collect)
    .option('--credentials <name>', 'entry of `credentials` in the configuration of the workers');
}

/** The source as it is written in the configuration. Throws `CommandError`. */
function sourceOf(options: Readonly<Record<string, unknown>>): object {
  const { git, url, path, ref, as: format, oneTarget, exclude, credentials } = options;
  if ([git, url, path].filter((one) => one !== undefined).length !== 1)
    throw new CommandError('nothing-asked', 'name a source: one of --git, --url and --path');
  if (git !== undefined) return defined({ kind: 'git', repositories: git, ref, credentials, exclude });
  if (url !== undefined) return defined({ kind: 'url', urls: url, format, credentials });
  return defined({ kind: 'path', paths: path, exclude, targets: oneTarget === true ? 'all' : undefined });
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
