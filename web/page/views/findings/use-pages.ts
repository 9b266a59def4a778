import { useEffect, useState } from 'preact/hooks';
import type { FleetFinding } from '../../../../src/model/api/lockhound-api.generated.ts';
import { CallError, call } from '../../api/call.ts';
import { changes } from '../../api/live.ts';
import { session } from '../../api/session.ts';
import type { Filters } from './filters.ts';

export const PAGE_SIZE = 100;
/** Pages that are kept; those that are visible or were visible last. */
const MAX_PAGES = 30;

/** The part of a list that is loaded. */
export interface Pages {
  /** Number of all entries; `undefined` until the first page is there. */
  readonly total: number | undefined;
  /** Whether the entries are those of these filters, and not of the ones before. */
  readonly isCurrent: boolean;
  readonly fault: string | undefined;
  /** An entry by its place; `undefined` while it is loaded. */
  at(index: number): FleetFinding | undefined;
}

interface Loading {
  /** The filters as text. */
  key: string;
  total?: number;
  fault?: string;
  pages: ReadonlyMap<number, LoadedPage>;
}

interface LoadedPage {
  readonly findings: readonly FleetFinding[];
  /** The last event when it was requested: after a later one it is loaded again when it is visible. */
  readonly change: number;
}

/** The pages between two places of a filtered list. Visible pages are loaded again after every event, and stay visible until then. */
export function usePages(filters: Filters, first: number, last: number): Pages {
  const key = JSON.stringify(filters);
  const [state, setState] = useState<Loading>({ key, pages: new Map() });
  const change = changes.value;
  const [from, to] = [Math.floor(first / PAGE_SIZE), Math.floor(Math.max(first, last) / PAGE_SIZE)];
  useEffect(() => {
    const stop = new AbortController();
    for (let page = from; page <= to; page += 1) {
      if (state.key === key && state.pages.get(page)?.change === change) continue;
      void loadPage(page, stop.signal);
    }
    return () => stop.abort();
    async function loadPage(page: number, signal: AbortSignal): Promise<void> {
      const params = { ...filters, pageSize: PAGE_SIZE, skip: page * PAGE_SIZE };
      try {
        const { findings, total } = await call('lockhound.findings.list', params, { signal });
        if (!signal.aborted) setState((before) => withPage(before, { key, page, change, findings, total }));
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof CallError && error.status === 401) session.value = null;
        const fault = error instanceof Error ? error.message : String(error);
        setState((before) => (before.key === key ? { ...before, fault } : { key, fault, pages: new Map() }));
      }
    }
  }, [key, change, from, to]);
  const isCurrent = state.key === key;
  return {
    // Entries of the filters before stay until others are there, so that the table does not flicker.
    total: state.total,
    isCurrent,
    fault: isCurrent ? state.fault : undefined,
    at: (index) => state.pages.get(Math.floor(index / PAGE_SIZE))?.findings[index % PAGE_SIZE],
  };
}

interface NewPage extends LoadedPage {
  readonly key: string;
  readonly page: number;
  readonly total: number;
}

function withPage(before: Loading, { key, page, findings, change, total }: NewPage): Loading {
  const pages = new Map(before.key === key ? before.pages : []);
  pages.delete(page);
  pages.set(page, { findings, change });
  for (const oldest of pages.keys()) {
    if (pages.size <= MAX_PAGES) break;
    pages.delete(oldest);
  }
  return { key, total, pages };
}
