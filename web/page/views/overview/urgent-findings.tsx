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

/** An issue of the highest priority: its first finding, and how many there are. */
interface UrgentIssue {
  readonly first: FleetFinding;
  readonly total: number;
}

/** The issues with the highest priority, each once for all targets that have it. */
export function UrgentFindings() {
  const loaded = useLoaded('urgent', readUrgent);
  return (
    <Card title="Most urgent" aside={<a href="/findings">All by priority</a>}>
      <Shown loaded={loaded}>
        {(issues) =>
          issues.length === 0 ? (
            <Nothing>No finding is open.</Nothing>
          ) : (
            <ul class="rows badged">{issues.map(issueRow)}</ul>
          )
        }
      </Shown>
    </Card>
  );
}

async function readUrgent(signal: AbortSignal): Promise<readonly UrgentIssue[]> {
  const { findings } = await call('lockhound.findings.list', { pageSize: READ }, { signal });
  const firsts = [...byIssue(findings).values()].slice(0, SHOWN).flatMap(([first]) => first ?? []);
  // Most findings of an issue may be further down in the list.
  return await Promise.all(
    firsts.map(async (first) => {
      const { rule, package: locked, advisory } = first.finding;
      const issue = { rule: [rule], package: locked.purl, advisory: advisory?.id, pageSize: 1 };
      const { total } = await call('lockhound.findings.list', issue, { signal });
      return { first, total };
    }),
  );
}

/** In the order of the first finding of each issue. */
function byIssue(findings: readonly FleetFinding[]): ReadonlyMap<string, readonly FleetFinding[]> {
  return Map.groupBy(findings, ({ finding }) =>
    [finding.rule, finding.package.purl, finding.advisory?.id ?? finding.issue].join('\n'),
  );
}

function issueRow({ first: { finding, target }, total }: UrgentIssue) {
  return (
    <li key={`${target} ${finding.fingerprint}`}>
      <SeverityBadge severity={finding.severity} />
      <a href={findingAddress(target, finding.fingerprint)}>{finding.title}</a>
      <span class="faint">
        {finding.package.name} {finding.package.version} · {target}
        {total < 2 ? '' : ` and ${counted(total - 1, 'other target')}`}
      </span>
    </li>
  );
}
