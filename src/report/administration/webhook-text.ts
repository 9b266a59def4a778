import type { FieldChange, ProvisionChange } from '../../model/alert/provision-change.ts';
import { printable } from '../../model/printable.ts';
import { fitLines, palette, type TextOptions } from '../layout.ts';

const SIGNS: Readonly<Record<ProvisionChange['action'], string>> = {
  created: '+',
  updated: '~',
  unchanged: ' ',
  kept: '!',
  deleted: '-',
};

/** The actions of a plan. */
const PLANNED: Readonly<Record<ProvisionChange['action'], string>> = {
  created: 'create',
  updated: 'change',
  unchanged: 'leave',
  kept: 'leave as the platform has it',
  deleted: 'delete',
};

/** Planned or applied changes: each object with the fields that differ. */
export function changesText(
  changes: readonly ProvisionChange[],
  { done, ...options }: TextOptions & { readonly done: boolean },
): string {
  const { good, bad, faint, strong } = palette(options.colour);
  const lines = changes.flatMap(({ kind, name, action, drift, fields }) => {
    const label = done && action !== 'kept' ? action : PLANNED[action];
    const note = drift ? faint(' (changed on the platform)') : '';
    const head = `${SIGNS[action]} ${kind} ${strong(printable(name))}: ${label}${note}`;
    const paint = action === 'deleted' ? bad : action === 'unchanged' ? faint : good;
    return [
      paint(head),
      ...(action === 'unchanged' ? [] : fields.flatMap(fieldText).map((line) => `    ${line}`)),
    ];
  });
  return fitLines([...lines, '', summary(changes, done)], options);
}

function fieldText({ name, before, after, drift, kept }: FieldChange): readonly string[] {
  const note = kept ? ' (kept: notify.drift)' : drift ? ' (changed on the platform)' : '';
  const shown = after ?? '(none)';
  if (`${before}${after}`.includes('\n')) {
    const removed = before === null ? [] : indented(before, '- ');
    return [`${name}:${note}`, ...removed, ...indented(shown, '+ ')];
  }
  if (before === null || after === '(secret, changed)') return [`${name}: ${printable(shown)}${note}`];
  return [`${name}: ${printable(before)} → ${printable(shown)}${note}`];
}

/** Prints each line of a payload on its own line. */
function indented(text: string, prefix: string): readonly string[] {
  return text.split('\n').map((line) => `  ${prefix}${printable(line)}`);
}

function summary(changes: readonly ProvisionChange[], done: boolean): string {
  const count = (...actions: readonly ProvisionChange['action'][]) =>
    changes.filter(({ action }) => actions.includes(action)).length;
  const parts = [
    `${count('created')} ${done ? 'created' : 'to create'}`,
    `${count('updated')} ${done ? 'changed' : 'to change'}`,
    `${count('deleted')} ${done ? 'deleted' : 'to delete'}`,
    `${count('unchanged', 'kept')} ${done ? 'left' : 'to leave'}`,
  ];
  return `${parts.join(', ')}.`;
}
