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
