import type { FindingBody, FindingFix } from '../../../../src/model/api/lockhound-api.generated.ts';
import { counted } from '../../parts/format.ts';
import { Time } from '../../parts/time.tsx';

/** What to do about a finding, and what that was found by. */
export function Advice({
  finding: { advice, fixes = [], package: locked },
}: {
  readonly finding: FindingBody;
}) {
  const way = locked.direct === true ? 'a direct dependency' : 'a dependency of other packages';
  return (
    <>
      <p>{advice ?? `No advice is known. The package is ${way}.`}</p>
      {fixes.map((fix, index) => (
        <Fix key={index} fix={fix} name={locked.name} />
      ))}
      <p class="faint">
        <code>lockhound fix</code> in the repository prints the upgrades that it verified.
      </p>
    </>
  );
}

/** An upgrade with its evidence. */
function Fix({ fix, name }: { readonly fix: FindingFix; readonly name: string }) {
  const { changes = [], evidence, reason, until } = fix;
  return (
    <>
      {changes.length === 0 ? null : (
        <ul class="paths">
          {changes.map((one) => (
            <li key={one.name}>
              {one.how}: <strong>{one.name}</strong> {one.from} → {one.to ?? 'not needed any more'}
              {one.breaking === true ? <span class="mark warn">another major version</span> : null}
            </li>
          ))}
        </ul>
      )}
      {reason === undefined ? null : <p>{reason}.</p>}
      {until === undefined ? null : (
        <p>
          It may be locked <Time at={until} />.
        </p>
      )}
      {evidence === undefined ? null : (
        <details>
          <summary>Evidence: {counted(evidence.lookedAt, 'later version')} looked at</summary>
          <ul class="paths">
            {evidence.candidates.map(({ version, advisories, reason: why }) => (
              <li key={version}>
                {name} {version}:{' '}
                {advisories.length > 0 ? advisories.join(', ') : (why ?? 'no known advisory, not deprecated')}
              </li>
            ))}
            {evidence.graphs.map(({ name: direct, version, brings, good }) => (
              <li key={`${direct} ${version}`}>
                {direct} {version} brings {name} {brings.join(', ') || 'in no version'}
                {good ? '' : ', which is not good'}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
