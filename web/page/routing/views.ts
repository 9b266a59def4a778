import type { ComponentType } from 'preact';
import type { MethodId } from '../api/call.ts';
import { may } from '../api/session.ts';
import { ChangesView } from '../views/changes.tsx';
import { ChartsView } from '../views/charts/charts.tsx';
import { DeliveriesView } from '../views/deliveries.tsx';
import { FindingView } from '../views/finding/finding.tsx';
import { FindingsView } from '../views/findings/findings.tsx';
import { IssuesView } from '../views/issues/issues.tsx';
import { OverviewView } from '../views/overview/overview.tsx';
import { PackagesView } from '../views/packages.tsx';
import { QueuesView } from '../views/queues.tsx';
import { RejectedView } from '../views/rejected.tsx';
import { SchedulesView } from '../views/schedules/schedules.tsx';
import { SuppressionsView } from '../views/suppressions.tsx';
import { ExceptionsView } from '../views/target/exceptions.tsx';
import { GraphView } from '../views/target/graph.tsx';
import { InventoryView } from '../views/target/inventory.tsx';
import { ScanView } from '../views/target/scan.tsx';
import { TargetView } from '../views/target/target.tsx';
import { TargetsView } from '../views/targets.tsx';
import { TokensView } from '../views/tokens.tsx';

interface ViewEntry {
  readonly path: string;
  readonly title: string;
  readonly View: ComponentType;
  /** Shown in the navigation. */
  readonly isListed: boolean;
  /** What it reads about the whole fleet: people who may not are not shown the way to it. */
  readonly reads?: MethodId;
}

/** Every view by its path (`server/page/mount-page.ts` answers them). */
export const VIEWS: readonly ViewEntry[] = [
  { path: '/', title: 'Overview', View: OverviewView, isListed: true },
  { path: '/issues', title: 'Issues', View: IssuesView, isListed: true },
  { path: '/findings', title: 'Findings', View: FindingsView, isListed: true },
  { path: '/charts', title: 'Charts', View: ChartsView, isListed: true },
  { path: '/finding', title: 'Finding', View: FindingView, isListed: false },
  { path: '/targets', title: 'Targets', View: TargetsView, isListed: true },
  { path: '/packages', title: 'Packages', View: PackagesView, isListed: true },
  { path: '/target', title: 'Target', View: TargetView, isListed: false },
  { path: '/inventory', title: 'Inventory', View: InventoryView, isListed: false },
  { path: '/graph', title: 'Dependencies', View: GraphView, isListed: false },
  { path: '/exceptions', title: 'Exceptions', View: ExceptionsView, isListed: false },
  { path: '/scan', title: 'Scan', View: ScanView, isListed: false },
  { path: '/changes', title: 'Changes', View: ChangesView, isListed: true },
  { path: '/suppressions', title: 'Suppressions', View: SuppressionsView, isListed: true },
  { path: '/deliveries', title: 'Deliveries', View: DeliveriesView, isListed: true },
  { path: '/schedules', title: 'Schedules', View: SchedulesView, isListed: true },
  {
    path: '/rejected',
    title: 'Rejected',
    View: RejectedView,
    isListed: true,
    reads: 'lockhound.rejected.list',
  },
  { path: '/queues', title: 'Queues', View: QueuesView, isListed: true, reads: 'lockhound.queues.list' },
  { path: '/tokens', title: 'Tokens', View: TokensView, isListed: true, reads: 'lockhound.tokens.list' },
];

/** The views that the person may see in the navigation. */
export function listedViews(): readonly ViewEntry[] {
  return VIEWS.filter(
    ({ isListed, reads }) => isListed && (reads === undefined || may(reads, { isFleetWide: true })),
  );
}
