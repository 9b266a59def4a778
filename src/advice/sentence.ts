import type { Fix } from '../model/advice/fix.ts';

/** A fix in a few sentences, with what names the fixed version where the index does not. `name`: that of the affected package. */
export function sentenceOf(name: string, fix: Fix): string {
  const isByOsv = fix.evidence.from === 'osv' && fix.version !== undefined;
  return `${wayOf(name, fix)}${isByOsv ? ' OSV names the fixed version.' : ''}`;
}

function wayOf(name: string, fix: Fix): string {
  const { kind, version, reason = 'it is not known why' } = fix;
  switch (kind) {
    case 'in-range':
      return `Fixed in ${name} ${version}. Every requirement permits it${commandOf(fix)}.`;
    case 'upgrade-direct':
      return `${upgradesOf(name, fix)}${commandOf(fix)}.`;
    case 'override':
      return `Fixed in ${name} ${version}, but ${reason}. Last resort, an override${commandOf(fix)}.`;
    case 'held-by-pin':
      return `Fixed in ${name} ${version}, but ${reason}.`;
    case 'held-by-cooldown':
      return `Fixed in ${name} ${version}, but ${reason}; it does from ${fix.until?.slice(0, 10)} on.`;
    case 'unknown':
      return version === undefined
        ? `It is not known whether there is a fix: ${reason}.`
        : `Fixed in ${name} ${version}. The way there is not known: ${reason}.`;
    case 'none':
      return version === undefined
        ? `There is no fix: ${reason}.`
        : `There is no safe way to a fix. ${name} ${version} is good, but ${reason}.`;
  }
}

function upgradesOf(name: string, { changes, version, evidence }: Fix): string {
  const upgrades = changes.filter(({ how }) => how === 'upgrade');
  const list = upgrades
    .map(
      (one) => `${one.name} ${one.from} → ${one.to}${one.breaking === true ? ' (another major line)' : ''}`,
    )
    .join(' and ');
  if (upgrades.some((one) => one.name === name)) return `Upgrade ${list}`;
  const chosen = evidence.graphs.findLast(
    (one) => one.good && upgrades.some(({ name: own, to }) => own === one.name && to === one.version),
  );
  const brought = chosen?.brings.join(', ') ?? version;
  return brought === ''
    ? `Upgrade ${list}, which does not need ${name}`
    : `Upgrade ${list}, which brings ${name} ${brought}`;
}

/** The commands on one line; those of a person's edits begin with `#`. Empty where the package manager is not known. */
function commandOf({ commands }: Fix): string {
  if (commands.length === 0) return '';
  const steps = commands.map((line) => (line.startsWith('# ') ? line.slice(2) : `\`${line}\``));
  return `: ${steps.join(', then ')}`;
}
