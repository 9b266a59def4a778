import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { goTo, place } from '../routing/location.ts';

/** Filters follow typing after this time, and choices at once. */
const PAUSE_MS = 30;

interface FilterFormProps {
  /** For screen readers. */
  readonly label: string;
  /** The address with the filters of the form. */
  readonly addressOf: (values: URLSearchParams) => string;
  readonly children: ComponentChildren;
}

/** Filters that are in the address. `/` leads to the search, as on many sites. */
export function FilterForm({ label, addressOf, children }: FilterFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const pending = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [isOpen, setOpen] = useState(false);
  const version = useFormVersion();
  const apply = (): void => {
    clearTimeout(pending.current);
    if (form.current === null) return;
    const address = addressOf(valuesOf(form.current));
    version.expect(address);
    goTo(address, { replace: true });
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof HTMLElement && /^(?:INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
      const search = form.current?.querySelector<HTMLInputElement>('input[type=search]') ?? undefined;
      const isOther = event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey;
      if (isTyping || isOther || search === undefined) return;
      event.preventDefault();
      search.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      clearTimeout(pending.current);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
  return (
    <search aria-label={label}>
      <form
        key={version.number}
        ref={form}
        class={`filters ${isOpen ? '' : 'folded'}`}
        onSubmit={(event) => {
          event.preventDefault();
          apply();
        }}
        onInput={({ target }) => {
          clearTimeout(pending.current);
          const isTyped = target instanceof HTMLInputElement && target.type !== 'checkbox';
          if (isTyped) pending.current = setTimeout(apply, PAUSE_MS);
          else apply();
        }}
      >
        {children}
        <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </button>
      </form>
    </search>
  );
}

function valuesOf(form: HTMLFormElement): URLSearchParams {
  const values = new URLSearchParams();
  for (const [name, value] of new FormData(form)) values.append(name, String(value).trim());
  return values;
}

/** A number that changes when the address changed otherwise than by the form, which then has to show other values. */
function useFormVersion() {
  const { path, params } = place.value;
  const address = params.size === 0 ? path : `${path}?${params}`;
  const known = useRef({ address, number: 0 });
  if (known.current.address !== address) known.current = { address, number: known.current.number + 1 };
  return {
    number: known.current.number,
    expect(next: string): void {
      known.current = { ...known.current, address: next };
    },
  };
}
