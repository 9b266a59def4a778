import type { Counts } from '../../../src/model/api/lockhound-api.generated.ts';
import { SEVERITIES } from './severity.tsx';

/** Counts by severity as one bar, the worst first. `most`: the sum that fills its width. What it shows is beside it as text. */
export function Bar({ counts, most }: { readonly counts: Counts; readonly most: number }) {
  let from = 0;
  const parts = SEVERITIES.map((severity) => {
    const x = from;
    from += ((counts[severity] ?? 0) / most) * 100;
    return <rect key={severity} class={`s-${severity}`} x={x} y={0} width={from - x} height={10} />;
  });
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      {parts}
    </svg>
  );
}
