import { chunks } from '../../model/chunks.ts';
import type { FollowedProject } from '../../model/fleet/followed-package.ts';
import type { ProjectScores } from '../../model/ports/project-scores.ts';
import type { ProjectScore } from '../../model/signal/project-score.ts';
import { compareText } from '../../policy/finding-order.ts';
import { fallOf } from '../../policy/signals/scorecard-dropped.ts';

/** Scores in memory at once; there are at most 20,000. */
const CHUNK = 500;

/**
 * The source projects of package versions, by what was inspected: of each project the 20 versions are known that were inspected last.
 * `identities`: those of the versions.
 */
export async function sourceProjects(
  scores: ProjectScores,
  identities: ReadonlySet<string>,
): Promise<readonly FollowedProject[]> {
  const found: FollowedProject[] = [];
  for (const part of chunks(await scores.ids(), CHUNK)) {
    for (const [index, score] of (await scores.read(part)).entries()) {
      const id = part[index];
      if (id === undefined || !score?.packages.some((identity) => identities.has(identity))) continue;
      found.push(projectOf(id, score));
    }
  }
  return found.sort((left, right) => compareText(left.id, right.id));
}

function projectOf(id: string, { checkedAt, reference, now, fellAt }: ProjectScore): FollowedProject {
  const fall =
    fellAt === undefined || reference === undefined || now === undefined ? undefined : fallOf(reference, now);
  return {
    id,
    checkedAt,
    ...(now === undefined ? {} : { scorecard: now }),
    ...(fall === undefined ? {} : { fell: fall.text }),
  };
}
