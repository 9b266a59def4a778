import { CodedError } from '../../model/errors.ts';
import { DiscoveryError } from '../errors.ts';
import type { RestDescription } from './description.ts';
import { validateDescription } from './validate-description.ts';

/**
 * Runs work with documents that are not validated, because validation takes longer than the work. After an error it validates
 * them, and throws a `DiscoveryError` (`invalid-document`) with the place of the first fault.
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
        // A missing schema does not cause errors.
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
