import type { Domain } from '../../../contract/admin/domains.ts';
import type { DomainSettings, StoredDomain } from '../../../core/directory/domains/domains.ts';
import { notFound, RpcError } from '../../../core/rpc/rpc-error.ts';

/** The Domain message of a stored domain. @param mailDomain the deployment's own mail domain. */
export const toDomain = (stored: StoredDomain, mailDomain: string): Domain => ({ ...stored, is_primary: stored.domain === mailDomain });

/** A domain that may be changed. @throws RpcError not_found; failed_precondition while the domain is being removed. */
export const changeableDomain = (stored: StoredDomain | undefined): StoredDomain => {
  if (!stored) throw notFound('domain');
  if (stored.state === 'removing') throw new RpcError('failed_precondition', 'the domain is being removed');
  return stored;
};

/**
 * Checks the SPF settings. @throws RpcError invalid_argument for FORCE_VALUE without a valid SPF policy (RFC 7208
 * §4.5).
 */
export const assertValidSpf = ({ spf_mode: mode, spf_value: value }: Pick<DomainSettings, 'spf_mode' | 'spf_value'>): void => {
  if (mode === 'FORCE_VALUE' && value === undefined) throw new RpcError('invalid_argument', 'spf_value is required with FORCE_VALUE');
  if (value !== undefined && !/^v=spf1( |$)/i.test(value)) throw new RpcError('invalid_argument', 'spf_value must begin with v=spf1');
};
