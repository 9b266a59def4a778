import type { Source } from '../../../model/scan/lockfile.ts';
import { sourceOf } from '../../ecosystems/npm-source.ts';

const REGISTRY: Source = { kind: 'registry' };

/** Whether a resolution is a folder of the target itself. */
export function isOwn(reference: string): boolean {
  return reference.startsWith('workspace:');
}

/** Where a resolution comes from, by what follows the name in it. */
export function sourceOfResolution(reference: string): Source {
  if (reference.startsWith('npm:')) return registrySource(reference);
  if (reference.startsWith('patch:')) return patchedSource(reference);
  if (/^(?:file|link|portal|exec):/.test(reference)) {
    return { kind: 'path', path: reference.replace(/^[a-z]+:/, '').replace(/(?:::|#).*$/s, '') };
  }
  return sourceOf(reference.replace(/::.*$/s, ''), undefined);
}

/** `npm:1.0.0::__archiveUrl=https%3A%2F%2F…` where the registry keeps its tarballs in places of its own. */
function registrySource(reference: string): Source {
  const at = reference.indexOf('__archiveUrl=');
  if (at < 0) return REGISTRY;
  const stated = reference.slice(at + 13).replace(/&.*$/s, '');
  try {
    const url = decodeURIComponent(stated);
    const source = sourceOf(url, undefined);
    return source.kind === 'url' ? { kind: 'registry', url: source.url } : source;
  } catch {
    // Not an encoded URL: as if it were not stated.
    return REGISTRY;
  }
}

/** A patched package is the package that is patched: `patch:name@npm%3A1.0.0#~builtin<compat/name>::version=…`. */
function patchedSource(reference: string): Source {
  const inner = /^patch:(?:@?[^@]+)@([^#]+)/.exec(reference)?.[1] ?? '';
  try {
    return sourceOfResolution(decodeURIComponent(inner));
  } catch {
    return REGISTRY;
  }
}
