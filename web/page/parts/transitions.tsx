import type { LoggedChange } from '../../../src/model/api/lockhound-api.generated.ts';
import { formatNumber } from './format.ts';

export const TRANSITIONS = ['opened', 'worsened', 'reopened', 'disputed', 'suppressed', 'resolved'] as const;

/** `2 opened, 1 resolved`. */
export function TransitionCounts({
  changes,
}: {
  readonly changes: readonly Pick<LoggedChange, 'transition'>[];
}) {
  const counts = TRANSITIONS.flatMap((transition) => {
    const count = changes.filter((change) => change.transition === transition).length;
    return count === 0 ? [] : [{ transition, count }];
  });
  return (
    <span class="transitions">
      {counts.map(({ transition, count }) => (
        <span key={transition} class={`transition ${transition}`}>
          {formatNumber(count)} {transition}
        </span>
      ))}
    </span>
  );
}
