/** Labels of a target. */
export function LabelList({ labels }: { readonly labels: Readonly<Record<string, string>> }) {
  return (
    <span class="labels">
      {Object.entries(labels).map(([name, value]) => (
        <span key={name} class="mark">
          {name}={value}
        </span>
      ))}
    </span>
  );
}

/** Fields for labels as `name=value`: one for each of the chosen labels, and one for another. */
export function LabelFields({ chosen = [] }: { readonly chosen?: readonly string[] | undefined }) {
  return (
    <>
      {[...chosen, ''].map((label, index) => (
        <label key={index}>
          {index === 0 ? 'Label' : 'And label'}
          <input name="label" defaultValue={label} placeholder="name=value" />
        </label>
      ))}
    </>
  );
}
