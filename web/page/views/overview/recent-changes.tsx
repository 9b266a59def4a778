import { call } from '../../api/call.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Card } from '../../parts/card.tsx';
import { targetAddress } from '../../parts/links.ts';
import { Nothing, Shown } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { TransitionCounts } from '../../parts/transitions.tsx';

/** The last scans that changed something. */
export function RecentChanges() {
  const loaded = useLoaded('recent', (signal) => call('lockhound.changes.list', { pageSize: 6 }, { signal }));
  return (
    <Card title="Latest changes" aside={<a href="/changes">All changes</a>}>
      <Shown loaded={loaded}>
        {({ scans }) =>
          scans.length === 0 ? (
            <Nothing>Nothing has changed.</Nothing>
          ) : (
            <ul class="rows">
              {scans.map((scan) => (
                <li key={scan.id}>
                  <a href={targetAddress(scan.target)}>{scan.target}</a>
                  <TransitionCounts changes={scan.changes} />
                  <span class="faint">
                    <Time at={scan.at} />
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
