import type { ScanChanges } from '../../../src/model/api/lockhound-api.generated.ts';
import { call } from '../api/call.ts';
import { ViewHead } from '../parts/card.tsx';
import { counted } from '../parts/format.ts';
import { findingAddress, targetAddress } from '../parts/links.ts';
import { Nothing, Shown } from '../parts/notice.tsx';
import { SeverityBadge } from '../parts/severity.tsx';
import { Time } from '../parts/time.tsx';
import { useList } from '../parts/use-list.ts';

/** Changes of one scan that are shown. */
const SHOWN = 10;

/** What changed, by scan, newest first. */
export function ChangesView() {
  const list = useList('changes', async (page, signal) => {
    const { scans, nextPageToken } = await call('lockhound.changes.list', page, { signal });
    return { items: scans, nextPageToken };
  });
  return (
    <>
      <ViewHead title="Changes" note="What scans and refreshes changed, newest first." />
      <Shown loaded={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Nothing>Nothing has changed.</Nothing>
          ) : (
            <div class="stack">
              {items.map((scan) => (
                <ChangedScan key={scan.id} scan={scan} />
              ))}
            </div>
          )
        }
      </Shown>
      {list.more === undefined ? null : (
        <button type="button" class="more" onClick={list.more}>
          Show more
        </button>
      )}
    </>
  );
}

function ChangedScan({ scan: { at, target, changes, omitted = 0 } }: { readonly scan: ScanChanges }) {
  const hidden = changes.length - SHOWN + omitted;
  return (
    <section class="card" aria-label={target}>
      <div class="card-head">
        <h2>
          <a href={targetAddress(target)}>{target}</a>
        </h2>
        <span class="faint">
          <Time at={at} />
        </span>
      </div>
      <ul class="rows">
        {changes.slice(0, SHOWN).map(({ transition, fingerprint, severity, title, purl }) => (
          <li key={fingerprint}>
            <span class={`transition ${transition}`}>{transition}</span>
            <SeverityBadge severity={severity} />
            <a href={findingAddress(target, fingerprint)}>{title}</a>
            <code class="faint">{purl}</code>
          </li>
        ))}
      </ul>
      {hidden > 0 ? <p class="faint">and {counted(hidden, 'further change')}</p> : null}
    </section>
  );
}
