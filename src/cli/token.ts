import { Command, InvalidArgumentError, Option } from 'commander';
import { duration } from '../config/values.ts';
import { ROLES, type Role } from '../model/api/api-token.ts';
import { createdTokenText, tokenListText } from '../report/administration/token-text.ts';
import { type AdminOptions, administering, present, print, withAdminOptions } from './program/admin.ts';
import type { CommandContext } from './program/context.ts';

const administer = administering(async () => (await import('../commands/tokens.ts')).openTokenAdmin);

const EXAMPLES = `
Examples:
  lockhound token create --name ci --role submit --targets 'team-a/*' --expires 90d
  lockhound token list
  lockhound token revoke 3f2a9c01d4e5

\`read\` sees findings and scans, \`submit\` also submits scans, \`admin\` also changes what is stored. A token is shown once and stored
as a hash. While there is no token, \`lockhound serve\` answers programs of this machine only, and nobody on other addresses.
Exit codes: 0 done, 2 an error, or no such token.`;

interface CreateOptions extends AdminOptions {
  readonly name: string;
  readonly role: Role;
  readonly targets?: readonly string[];
  readonly expires?: string;
}

export function tokenCommand(command: Command, context: CommandContext): void {
  command
    .addCommand(createCommand(context))
    .addCommand(listCommand(context))
    .addCommand(revokeCommand(context))
    .addHelpText('after', EXAMPLES);
}

function createCommand({ terminal }: CommandContext): Command {
  return withAdminOptions(new Command('create'))
    .description('Create a token of the API and show it once.')
    .requiredOption('--name <name>', 'for whom or what it is', parseName)
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).default('read'))
    .option('--targets <patterns...>', 'ids of targets that it may see; `*` matches any text (default: all)')
    .option(
      '--expires <duration>',
      'how long it is valid, such as 90d (default: until it is revoked)',
      parseExpiry,
    )
    .action(({ name, role, targets, expires, ...options }: CreateOptions) =>
      administer(options, async (admin) => {
        const created = await admin.create({ name, role, targets, expires });
        print(terminal, options, created, () => createdTokenText(created));
      }),
    );
}

function listCommand({ terminal }: CommandContext): Command {
  return withAdminOptions(new Command('list'))
    .description('List the tokens of the API: role, targets, expiry and last use.')
    .action((options: AdminOptions) =>
      administer(options, async (admin) => {
        const tokens = await admin.list();
        print(terminal, options, { tokens }, () => tokenListText(tokens, terminal));
      }),
    );
}

function revokeCommand({ terminal }: CommandContext): Command {
  return withAdminOptions(new Command('revoke'))
    .description('Revoke a token and the sessions of people who signed in with it.')
    .argument('<id>', 'id of the token')
    .action((id: string, options: AdminOptions) =>
      administer(options, async (admin) => {
        const missing = `there is no token ${id}: see \`lockhound token list\``;
        present((await admin.revoke(id)) ? id : undefined, missing);
        print(terminal, options, { revoked: id }, () => `${id} is revoked\n`);
      }),
    );
}

function parseName(text: string): string {
  if (/^\P{Cc}{1,100}$/u.test(text)) return text;
  throw new InvalidArgumentError('at most 100 characters on one line');
}

function parseExpiry(text: string): string {
  if (duration.safeParse(text).success) return text;
  throw new InvalidArgumentError('a duration such as 90d');
}
