import type { FindingBody } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card } from '../../parts/card.tsx';
import { counted } from '../../parts/format.ts';
import { findingAddress } from '../../parts/links.ts';
import { Shown } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { type Filters, findingsAddress } from '../findings/filters.ts';

/** Targets that are listed; the table of findings has the others. */
const SHOWN = 50;

/** All targets that hold a finding of the same issue in the same package. */
export function Holders({ finding }: { readonly finding: FindingBody }) {
  const [name] = finding.package.purl.split('@');
  const filters: Filters = {
    package: name,
    rule: [finding.rule],
    state: 'all',
    notes: true,
    orderBy: 'target',
    ...(finding.advisory === undefined ? {} : { advisory: finding.advisory.id }),
  };
  const loaded = useLoaded(`holders ${JSON.stringify(filters)}`, (signal) =>
    call('lockhound.findings.list', { ...filters, pageSize: SHOWN }, { signal }),
  );
  const all = loaded.value?.total ?? 0;
  return (
    <Card
      title="All targets that hold it"
      aside={<a href={findingsAddress(filters)}>{counted(all, 'finding')}</a>}
    >
      <Shown loaded={loaded}>
        {({ findings }) => (
          <ul class="rows">
            {findings.map((one) => (
              <li key={`${one.target} ${one.finding.fingerprint}`}>
                <a href={findingAddress(one.target, one.finding.fingerprint)}>{one.target}</a>
                <span>{one.finding.package.version}</span>
                <span class="faint">
                  {one.finding.suppressed === undefined ? one.status : 'suppressed'}, changed{' '}
                  <Time at={one.changedAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Shown>
      {all > SHOWN ? <p class="faint">The first {SHOWN} are shown.</p> : null}
    </Card>
  );
}
