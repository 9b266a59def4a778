import type { Issue } from '../../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { counted } from '../../parts/format.ts';
import { LabelList } from '../../parts/labels.tsx';
import { findingAddress } from '../../parts/links.ts';
import { Shown } from '../../parts/notice.tsx';
import { Overdue } from '../../parts/overdue.tsx';
import { Time } from '../../parts/time.tsx';
import { findingsAddress } from '../findings/filters.ts';
import type { IssueFilters } from './issues.tsx';

/** Findings of one issue that are listed; the table of findings has the others. */
const SHOWN = 100;

/** The targets that have an issue, as far as they fit the filters. */
export function IssueTargets({ issue, filters }: { readonly issue: Issue; readonly filters: IssueFilters }) {
  const { orderBy: _order, reverse: _reverse, ...selecting } = filters;
  const own = { ...selecting, issue: [issue.id], orderBy: 'target' } as const;
  const loaded = useLoaded(`targets ${JSON.stringify(own)}`, (signal) =>
    call('lockhound.findings.list', { ...own, pageSize: SHOWN }, { signal }),
  );
  const total = loaded.value?.total ?? 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label={`Targets of ${issue.first.finding.title}`}>
      <Shown loaded={loaded}>
        {({ findings }) => (
          <ul class="rows">
            {findings.map(({ target, labels, openedAt, status, places, finding }) => (
              <li key={`${target} ${finding.fingerprint}`}>
                <a href={findingAddress(target, finding.fingerprint)}>{target}</a>
                <span>{finding.package.version}</span>
                <code>{finding.locations[0]?.path}</code>
                {places > 1 ? <span class="faint">and {counted(places - 1, 'other place')}</span> : null}
                <span class="faint">
                  {status === 'open' ? 'open since' : 'opened'} <Time at={openedAt} />
                </span>
                <Overdue finding={finding} />
                <LabelList labels={labels} />
              </li>
            ))}
          </ul>
        )}
      </Shown>
      {total > SHOWN ? (
        <p>
          The first {SHOWN} are shown. <a href={findingsAddress(own)}>{counted(total, 'finding')}</a>
        </p>
      ) : null}
    </section>
  );
}
