import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card } from '../../parts/card.tsx';
import { findingAddress } from '../../parts/links.ts';
import { Nothing, Shown } from '../../parts/notice.tsx';
import { SeverityBadge } from '../../parts/severity.tsx';

/** The findings with the highest priority. */
export function UrgentFindings() {
  const loaded = useLoaded('urgent', (signal) =>
    call('lockhound.findings.list', { pageSize: 6 }, { signal }),
  );
  return (
    <Card title="Most urgent" aside={<a href="/findings">By priority</a>}>
      <Shown loaded={loaded}>
        {({ findings }) =>
          findings.length === 0 ? (
            <Nothing>No finding is open.</Nothing>
          ) : (
            <ul class="rows badged">
              {findings.map((one) => (
                <li key={`${one.target} ${one.finding.fingerprint}`}>
                  <SeverityBadge severity={one.finding.severity} />
                  <a href={findingAddress(one.target, one.finding.fingerprint)}>{one.finding.title}</a>
                  <span class="faint">
                    {one.finding.package.name} {one.finding.package.version} · {one.target}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Card>
  );
}
