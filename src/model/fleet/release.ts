/** Between the id of a target and the name of one of its releases. No target that a producer names has it in its id. */
const MARK = '@release:';

/** The id of a release. */
export function releaseIdOf(target: string, release: string): string {
  return `${target}${MARK}${release}`;
}

/** The release that an id names; `undefined` for the id of another target. `target`: id of the target that was released. */
export function releaseIn(id: string) {
  const at = id.indexOf(MARK);
  return at < 0 ? undefined : { target: id.slice(0, at), release: id.slice(at + MARK.length) };
}

/** The target that a release is of, or the target itself: it decides who may see a release, and which shard has it. */
export function releasedTarget(id: string): string {
  return releaseIn(id)?.target ?? id;
}

const DAY_MS = 86_400_000;

/** Whether a release is judged with the fleet at a time, in ms since 1970. Every other target is. */
export function isSupported(supportedUntil: string | undefined, now: number): boolean {
  return supportedUntil === undefined || now < Date.parse(supportedUntil) + DAY_MS;
}
