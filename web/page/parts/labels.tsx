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
