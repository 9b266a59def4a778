import { CodedError } from '../../model/errors.ts';
import { DiscoveryError } from '../errors.ts';
import type { RestDescription } from './description.ts';
import { validateDescription } from './validate-description.ts';

/**
 * Does work over documents that nobody has validated: reading one costs less than checking it first. What goes wrong is
 * the document's fault when it has one, and is then a `DiscoveryError` (`invalid-document`) with the place.
 */
export function reportInvalidDocuments<Result>(
  documents: readonly RestDescription[],
  work: () => Result,
): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof CodedError) throw error;
    for (const document of documents) {
      const fault = validateDescription(document).find(
        // A schema that is not there breaks nothing.
        ({ severity, path }) => severity === 'error' && !path.endsWith('$ref'),
      );
      if (fault !== undefined) {
        const name = typeof document.id === 'string' ? document.id : 'the document';
        const message = `${name} is not valid: ${fault.path} ${fault.message}`;
        throw new DiscoveryError('invalid-document', message, { cause: error });
      }
    }
    throw error;
  }
}
