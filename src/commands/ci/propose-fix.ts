import { hash } from 'node:crypto';
import type { ProposalEnvironment } from '../../config/github-environment.ts';
import { closing } from '../../model/closing.ts';
import type { Secret } from '../../model/secret.ts';
import { LOCKHOUND_EMAIL } from '../fix/commit-branch.ts';
import { CiError } from './errors.ts';
import { type Branches, openPullRequests, type PullRequest, type PullRequests } from './pull-requests.ts';
import { type Push, pushBranch } from './push-branch.ts';

export interface Proposal extends Pick<Push, 'folder' | 'commit' | 'branch' | 'inherited' | 'signal'> {
  /** The message of the commit: its first line is the title. */
  readonly message: string;
}

export interface Proposed {
  /** `declined`: somebody closed a pull request with the same changes. Nothing was pushed then. */
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'declined';
  readonly url: string;
}

/** Hosts accept 65,536 characters. */
const MAX_CHARACTERS = 50_000;

/**
 * Pushes the commit of a fix and opens the one pull request of its branch, or updates it. A branch that somebody else committed to is left
 * as it is. Repeated after a crash at any point, it ends with the same. Throws `CiError`, `HttpError`.
 */
export async function proposeFix(
  environment: ProposalEnvironment & { readonly token: Secret; readonly base: string },
  proposal: Proposal,
): Promise<Proposed> {
  const { commit, branch, signal } = proposal;
  const { base, token, pushUrl, serverUrl } = environment;
  const branches = { branch, base };
  const text = textOf(proposal.message);
  return await closing(openPullRequests(environment, token, signal), async (host) => {
    const known = await host.list(branches);
    const open = known.find(({ isOpen }) => isOpen);
    const declined = known.find(
      ({ isOpen, isMerged, body }) => !isOpen && !isMerged && body.includes(markOf(proposal.message)),
    );
    if (open === undefined && declined !== undefined) return { outcome: 'declined', url: declined.url };
    const tip = await host.tip(branch);
    if (tip !== undefined && tip.author !== LOCKHOUND_EMAIL)
      throw new CiError('branch-taken', `${branch} has a commit of ${tip.author}, which would be lost`);
    const isPushed = tip?.commit === commit;
    if (!isPushed) await pushBranch({ ...proposal, expected: tip?.commit, url: pushUrl, serverUrl, token });
    if (open === undefined) return await create(host, branches, text);
    if (isPushed && open.body === text.body) return { outcome: 'unchanged', url: open.url };
    return await update(host, open, text);
  });
}

type Text = ReturnType<typeof textOf>;

/** Another job may have opened it meanwhile: hosts refuse a second one. */
async function create(host: PullRequests, branches: Branches, text: Text): Promise<Proposed> {
  try {
    return { outcome: 'created', url: (await host.create(branches, text)).url };
  } catch (error) {
    if (!(error instanceof CiError && error.code === 'host-conflict')) throw error;
    const open = (await host.list(branches)).find(({ isOpen }) => isOpen);
    if (open === undefined) throw error;
    return await update(host, open, text);
  }
}

async function update(host: PullRequests, { number, url }: PullRequest, text: Text): Promise<Proposed> {
  await host.update(number, text);
  return { outcome: 'updated', url };
}

function textOf(message: string) {
  const [title = '', ...rest] = message.trim().split('\n');
  const content = rest.join('\n').trim().slice(0, MAX_CHARACTERS);
  // Names of packages are no mark-up there, and mention nobody.
  const runs = content.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  const note =
    'Lockhound keeps this pull request up to date as long as nobody else commits to its branch. Close it, and the same changes are not proposed again.';
  return { title, body: [`${fence}text`, content, fence, '', note, '', markOf(message), ''].join('\n') };
}

/** Identifies the changes of a fix in the text of its pull request. */
function markOf(message: string): string {
  return `<!-- lockhound-fix ${hash('sha256', message.trim()).slice(0, 16)} -->`;
}
