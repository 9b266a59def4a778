import type { Issue } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { findingAddress } from '../../parts/links.ts';
import { Nothing, Shown } from '../../parts/notice.tsx';
import { SeverityBadge } from '../../parts/severity.tsx';

/** Issues that are shown. */
const SHOWN = 7;

/** The issues with the highest priority, each once for all targets that have it. */
export function UrgentFindings() {
  const loaded = useLoaded('urgent', (signal) =>
    call('lockhound.findings.issues', { by: 'package', limit: SHOWN }, { signal }),
  );
  return (
    <Card title="Most urgent" aside={<a href="/issues">All issues</a>}>
      <Shown loaded={loaded}>
        {({ issues }) =>
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

function issueRow({ id, severity, first: { finding, target }, targets, versions }: Issue) {
  return (
    <li key={id}>
      <SeverityBadge severity={severity} />
      <a href={findingAddress(target, finding.fingerprint)}>{finding.title}</a>
      <span class="faint">
        {finding.package.name} {versions > 1 ? counted(versions, 'version') : finding.package.version} ·{' '}
        {target}
        {targets < 2 ? '' : ` and ${counted(targets - 1, 'other target')}`}
      </span>
    </li>
  );
}
