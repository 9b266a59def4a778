import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RepositoryPlace } from '../../model/watch/source-url.ts';
import { SourceError } from '../errors.ts';

const run = promisify(execFile);

/** The host to which ssh connects, and the name under which the file of known hosts has it. */
interface SshHost {
  readonly host: string;
  readonly alias: string;
}

/**
 * Asks ssh what the configuration of the worker makes of a host: its file may give it another name or port. Throws `SourceError`
 * when ssh is missing, or names what is no host.
 */
export async function sshHost(
  { address, host, user, port }: Extract<RepositoryPlace, { kind: 'ssh' }>,
  environment: Readonly<Record<string, string>>,
): Promise<SshHost> {
  const plain = host.replace(/^\[(.*)\]$/, '$1');
  const options = [...(user === undefined ? [] : ['-l', user]), ...(port === undefined ? [] : ['-p', port])];
  const settings = new Map(
    (await ask([...options, '-G', '--', plain], environment, address)).split('\n').map((line) => {
      const [name = '', ...values] = line.split(' ');
      return [name, values.join(' ')] as const;
    }),
  );
  const name = settings.get('hostname') ?? plain;
  const alias = settings.get('hostkeyalias');
  const isPlainPort = (settings.get('port') ?? '22') === '22';
  const known = { host: name, alias: alias ?? (isPlainPort ? name : `[${name}]:${settings.get('port')}`) };
  // Both become arguments of ssh.
  if (Object.values(known).every((text) => /^[A-Za-z0-9_[][\w.:\][-]*$/.test(text))) return known;
  throw new SourceError(
    'failed',
    `${address}: ssh would connect to ${JSON.stringify(name)}, which is no host`,
  );
}

async function ask(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  what: string,
): Promise<string> {
  try {
    const { stdout } = await run('ssh', [...args], { env: { ...environment }, timeout: 10_000 });
    return stdout;
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing
      ? 'this worker has no program `ssh` (see PATH)'
      : 'its ssh configuration cannot be read';
    throw new SourceError('failed', `${what}: ${reason}`, { cause });
  }
}
