interface SearchFieldProps {
  readonly value: string | undefined;
  /** What is searched. */
  readonly placeholder: string;
}

/** The field for words of a search; `/` leads to it. */
export function SearchField({ value = '', placeholder }: SearchFieldProps) {
  return (
    <label class="wide">
      Search
      <input type="search" name="search" defaultValue={value} placeholder={`${placeholder}  ( / )`} />
    </label>
  );
}

interface CheckProps {
  readonly name: string;
  readonly label: string;
  /** What it means, in a sentence. */
  readonly help?: string | undefined;
  readonly value: boolean | undefined;
}

/** A filter that is on or off. */
export function Check({ name, label, help, value }: CheckProps) {
  return (
    <label title={help}>
      <input type="checkbox" name={name} value="true" defaultChecked={value === true} /> {label}
    </label>
  );
}
