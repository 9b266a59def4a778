import { useState } from 'preact/hooks';
import type { Issue } from '../../../../src/model/api/lockhound-api.generated.ts';
import { may } from '../../api/session.ts';
import { Choice } from '../../parts/choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { downloadFindings, FORMATS } from '../../parts/download.ts';
import { counted } from '../../parts/format.ts';
import { AssignDialog } from '../finding/assign.tsx';
import { SuppressDialog } from '../finding/suppress.tsx';
import type { IssueFilters } from './issues.tsx';

interface IssueActionsProps {
  /** What is exported where nothing is selected. */
  readonly filters: IssueFilters;
  readonly selected: ReadonlyMap<string, Issue>;
  readonly onClear: () => void;
  readonly onAssigned: () => void;
  /** An issue is done. */
  readonly onRemove: (id: string) => void;
}

/** What can be done with the selected issues at once. */
export function IssueActions({ filters, selected, onClear, onAssigned, onRemove }: IssueActionsProps) {
  const [asked, setAsked] = useState<'suppress' | 'assign' | 'export' | undefined>(undefined);
  const issues = [...selected.values()];
  const close = (): void => setAsked(undefined);
  return (
    <>
      {issues.length === 0 ? null : (
        <>
          <span role="status">{counted(issues.length, 'issue')} selected</span>
          <button type="button" class="quiet" onClick={onClear}>
            Clear selection
          </button>
          {may('lockhound.suppressions.add') ? (
            <button type="button" onClick={() => setAsked('suppress')}>
              Suppress
            </button>
          ) : null}
          {may('lockhound.findings.assign', { isFleetWide: true }) ? (
            <button type="button" onClick={() => setAsked('assign')}>
              Assign
            </button>
          ) : null}
        </>
      )}
      <button type="button" onClick={() => setAsked('export')}>
        Export
      </button>
      {asked === 'export' ? (
        <Dialog
          title={
            issues.length === 0 ? 'Export what the filters show' : `Export ${counted(issues.length, 'issue')}`
          }
          does="Export"
          onDo={async (values) => {
            const issue = issues.length === 0 ? filters.issue : issues.map(({ id }) => id);
            await downloadFindings({ ...filters, issue }, String(values.get('format')));
          }}
          onClose={close}
        >
          <p class="faint">A report of at most 50,000 findings with the packages of their targets.</p>
          <Choice
            name="format"
            label="Format"
            value="sarif"
            options={FORMATS.map(([name, text]) => [name, text])}
          />
        </Dialog>
      ) : null}
      {asked === 'assign' ? (
        <AssignDialog
          issues={issues.map(({ id }) => id)}
          to={issues[0]?.first.assigned?.to}
          onDone={onAssigned}
          onClose={close}
        />
      ) : null}
      {asked === 'suppress' ? (
        <SuppressDialog
          title={`Suppress ${counted(issues.length, 'issue')}`}
          what="They stay in every report, and alert no more."
          subjects={issues.map(({ id, first, versions }) => ({
            id,
            finding: first.finding,
            isOneVersion: versions === 1,
          }))}
          target={filters.target}
          isForAll={filters.target === undefined}
          onDone={onRemove}
          onClose={close}
        />
      ) : null}
    </>
  );
}
