import {
  LicenseExpression,
  type LicenseRepository,
  NamedLicense,
  SpdxLicense,
} from '@cyclonedx/cyclonedx-library/Models';
import { fixupSpdxId, isSupportedSpdxId } from '@cyclonedx/cyclonedx-library/SPDX';

/**
 * Adds licences as CycloneDX states them: one expression, or a list of licences that are SPDX identifiers or names. Several
 * entries of a package apply together.
 */
export function addLicenses(to: LicenseRepository, stated: readonly string[]): void {
  const distinct = [...new Set(stated.map((one) => one.trim()))].filter((one) => one !== '');
  const [first] = distinct;
  if (distinct.length === 1 && first !== undefined && isExpression(first)) {
    to.add(new LicenseExpression(first));
    return;
  }
  for (const one of distinct) {
    const id = fixupSpdxId(one);
    to.add(id === undefined ? new NamedLicense(one) : new SpdxLicense(id));
  }
}

/** Identifiers of SPDX joined by its operators. The index has `non-standard` where it cannot read a licence. */
function isExpression(text: string): boolean {
  const parts = text.split(/\s+|(?=[()])|(?<=[()])/).filter((part) => part !== '');
  const operators = parts.filter((part) => /^(?:AND|OR|WITH)$/.test(part));
  return operators.length > 0 && parts.every((part) => /^(?:AND|OR|WITH|[()])$/.test(part) || isId(part));
}

function isId(part: string): boolean {
  return isSupportedSpdxId(part.replace(/\+$/, '')) || /^LicenseRef-[\w.-]+$/.test(part);
}
