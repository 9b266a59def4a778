/*
 * The script of the HTML report: it searches, filters and sorts what the document already contains. It creates no mark-up from text
 * and loads nothing.
 */
searchFindings();
searchPackages();
openForPrinting();

function searchFindings(): void {
  const form = document.querySelector<HTMLFormElement>('#finding-controls');
  const status = document.querySelector<HTMLElement>('#finding-count');
  if (form === null || status === null) return;
  const lists = [...document.querySelectorAll<HTMLElement>('.list')];
  const packages = [...document.querySelectorAll<HTMLDetailsElement>('details.package')];
  const order = new Map(packages.map((one, index) => [one, index]));
  const update = (): void => {
    const data = new FormData(form);
    const kinds = new Set(data.getAll('kind').map(String));
    const words = wordsOf(data);
    const direct = data.has('direct');
    let shown = 0;
    for (const one of packages) {
      const { text = '', kinds: own = '' } = one.dataset;
      one.hidden =
        !words.every((word) => text.includes(word)) ||
        !own.split(' ').some((kind) => kinds.has(kind)) ||
        (direct && one.dataset['direct'] === undefined);
      if (!one.hidden) shown += 1;
    }
    status.textContent =
      shown === packages.length ? '' : `${shown} of ${packages.length} packages with findings`;
    // What is found has to be seen.
    if (words.length === 0) return;
    for (const list of lists) {
      const fold = list.closest('details');
      if (fold !== null) fold.open = list.querySelector(':scope > details:not([hidden])') !== null;
    }
  };
  const sort = (): void => {
    const by = String(new FormData(form).get('sort'));
    const compare = (left: HTMLElement, right: HTMLElement): number => {
      if (by === 'name') return compareText(left.dataset['name'] ?? '', right.dataset['name'] ?? '');
      return by === '' ? 0 : Number(right.dataset[by]) - Number(left.dataset[by]);
    };
    const rank = (one: HTMLDetailsElement): number => order.get(one) ?? 0;
    for (const list of lists) {
      const own = packages.filter((one) => one.parentElement === list);
      list.append(...own.sort((left, right) => compare(left, right) || rank(left) - rank(right)));
    }
  };
  const button = form.querySelector<HTMLButtonElement>('button[name=open]');
  button?.addEventListener('click', () => {
    const open = packages.some((one) => !one.hidden && !one.open);
    for (const one of packages) if (!one.hidden) one.open = open;
    button.textContent = open ? 'Close all' : 'Open all';
  });
  form.addEventListener('input', update);
  form.addEventListener('change', sort);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  // `/` leads to the search, as on many sites.
  document.addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof HTMLElement && /^(?:INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    form.querySelector<HTMLInputElement>('input[type=search]')?.focus();
  });
}

function searchPackages(): void {
  const form = document.querySelector<HTMLFormElement>('#package-controls');
  const table = document.querySelector<HTMLTableElement>('#package-table');
  const status = document.querySelector<HTMLElement>('#package-count');
  const [body] = table?.tBodies ?? [];
  if (form === null || table === null || status === null || body === undefined) return;
  const rows = [...body.rows].map((row) => ({
    row,
    cells: [...row.cells].map((cell) => (cell.textContent ?? '').toLowerCase()),
  }));
  form.addEventListener('input', () => {
    const words = wordsOf(new FormData(form));
    let shown = 0;
    for (const { row, cells } of rows) {
      row.hidden = !words.every((word) => cells.some((cell) => cell.includes(word)));
      if (!row.hidden) shown += 1;
    }
    status.textContent = shown === rows.length ? '' : `${shown} of ${rows.length} packages`;
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  const heads = [...table.querySelectorAll<HTMLTableCellElement>('thead th')];
  for (const [column, head] of heads.entries()) {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const sorted = rows.toSorted((left, right) =>
        compareText(left.cells[column] ?? '', right.cells[column] ?? ''),
      );
      body.append(...(down ? sorted.reverse() : sorted).map(({ row }) => row));
    });
  }
}

/** A printed report shows everything that is not filtered out. */
function openForPrinting(): void {
  let opened: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details')].filter(({ open }) => !open);
    for (const one of opened) one.open = true;
  });
  addEventListener('afterprint', () => {
    for (const one of opened) one.open = false;
  });
}

function wordsOf(data: FormData): readonly string[] {
  return String(data.get('text') ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Numbers in versions and names by their value. */
function compareText(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true });
}
