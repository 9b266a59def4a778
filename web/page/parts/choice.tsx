import { useRef } from 'preact/hooks';

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A selection list with its label. */
export function Choice({ name, label, value = '', options }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name} value={value}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ChoicesProps {
  readonly name: string;
  readonly label: string;
  readonly chosen: readonly string[];
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A list that folds out, of which several entries can be chosen. None: any. */
export function Choices({ name, label, chosen, options }: ChoicesProps) {
  const list = useRef<HTMLDetailsElement>(null);
  const shown = chosen.length > 1 ? `${chosen.length} chosen` : (chosen[0] ?? 'Any');
  const close = (): void => {
    if (list.current !== null) list.current.open = false;
  };
  return (
    <div class="choices-field">
      <span aria-hidden="true">{label}</span>
      <details
        ref={list}
        class="choices"
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          close();
          list.current?.querySelector('summary')?.focus();
        }}
        onFocusOut={({ relatedTarget }) => {
          if (relatedTarget instanceof Node && list.current?.contains(relatedTarget) === false) close();
        }}
      >
        <summary aria-label={`${label}: ${shown}`}>{shown}</summary>
        <fieldset>
          <legend class="hidden">{label}</legend>
          {options.map(([value, text]) => (
            <label key={value}>
              <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} />{' '}
              {text}
            </label>
          ))}
        </fieldset>
      </details>
    </div>
  );
}
