import type { CreatedToken, TokenList } from '../model/api/lockhound-api.generated.ts';
import { printable } from '../model/printable.ts';
import { counted, fitLines, type TextOptions } from './layout.ts';
import { palette } from './palette.ts';

/** The text of a new token on standard output, alone on its line, so that it can be copied. */
export function createdTokenText({ id, token, expiresAt }: CreatedToken): string {
  const end = expiresAt === undefined ? 'until it is revoked' : `until ${expiresAt}`;
  return `${token}\n\nThis is shown once. Send it as \`Authorization: Bearer\`. Token ${id} is valid ${end}.\n`;
}

/** Three lines for each token. */
export function tokenListText({ tokens }: TokenList, options: TextOptions): string {
  if (tokens.length === 0) return 'No tokens: `lockhound serve` answers programs of this machine only.\n';
  const paint = palette(options.colour);
  const lines = tokens.flatMap(({ id, name, role, targets, createdAt, expiresAt, usedAt }) => [
    `${paint.strong(printable(id))}  ${printable(name)}  ${role}`,
    `  targets: ${targets.map(printable).join(', ')}`,
    paint.faint(
      `  created ${createdAt}, ${endText(expiresAt)}, ${usedAt === undefined ? 'never used' : `used ${usedAt}`}`,
    ),
  ]);
  return fitLines([...lines, '', counted(tokens.length, 'token')], options);
}

function endText(expiresAt: string | undefined): string {
  if (expiresAt === undefined) return 'does not expire';
  return `${Date.parse(expiresAt) <= Date.now() ? 'expired' : 'expires'} ${expiresAt}`;
}
