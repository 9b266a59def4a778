import type { Counts } from '../../../src/model/api/lockhound-api.generated.ts';
import { formatNumber } from './format.ts';
import { SEVERITIES } from './severity.tsx';

/** Open findings by severity in one line. */
export function OpenCounts({ open }: { readonly open: Counts }) {
  const shown = SEVERITIES.filter((severity) => (open[severity] ?? 0) > 0);
  if (shown.length === 0) return <span class="faint">none</span>;
  return (
    <span class="open-counts">
      {shown.map((severity) => (
        <span key={severity} class={`badge s-${severity}`}>
          {formatNumber(open[severity] ?? 0)} {severity}
        </span>
      ))}
    </span>
  );
}
