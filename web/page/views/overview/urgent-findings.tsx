import type { FleetFinding } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { findingAddress } from '../../parts/links.ts';
import { Nothing, Shown } from '../../parts/notice.tsx';
import { SeverityBadge } from '../../parts/severity.tsx';

/** Findings of the highest priority that are read, and issues that are shown. */
const [READ, SHOWN] = [100, 7];

/** The issues with the highest priority, each once for all targets that have it. */
export function UrgentFindings() {
  const loaded = useLoaded('urgent', (signal) =>
    call('lockhound.findings.list', { pageSize: READ }, { signal }),
  );
  return (
    <Card title="Most urgent" aside={<a href="/findings">All by priority</a>}>
      <Shown loaded={loaded}>
        {({ findings }) =>
          findings.length === 0 ? (
            <Nothing>No finding is open.</Nothing>
          ) : (
            <ul class="rows badged">{[...byIssue(findings)].slice(0, SHOWN).map(issueRow)}</ul>
          )
        }
      </Shown>
    </Card>
  );
}

/** In the order of the first finding of each issue. */
function byIssue(findings: readonly FleetFinding[]): ReadonlyMap<string, readonly FleetFinding[]> {
  return Map.groupBy(findings, ({ finding }) =>
    [finding.rule, finding.package.purl, finding.advisory?.id ?? finding.issue].join('\n'),
  );
}

function issueRow([issue, [first, ...others]]: readonly [string, readonly FleetFinding[]]) {
  if (first === undefined) return null;
  const { finding, target } = first;
  return (
    <li key={issue}>
      <SeverityBadge severity={finding.severity} />
      <a href={findingAddress(target, finding.fingerprint)}>{finding.title}</a>
      <span class="faint">
        {finding.package.name} {finding.package.version} · {target}
        {others.length === 0 ? '' : ` and ${counted(others.length, 'other target')}`}
      </span>
    </li>
  );
}
