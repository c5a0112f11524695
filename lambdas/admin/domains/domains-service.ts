import type { domains } from '../../../contract/admin/domains.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import { addDomain, createDomain } from './add-domain.ts';
import { applyDomainRecords } from './apply-domain-records.ts';
import { checkDNSProvider } from './check-dns-provider.ts';
import { deleteDomainRecord } from './delete-domain-record.ts';
import type { DomainsConnections } from './domains-connections.ts';
import { getDomain, getDomainVerification, verifyDomain } from './get-domain.ts';
import { listDomains } from './list-domains.ts';
import { removeDomain } from './remove-domain.ts';
import { sendTestEmail } from './send-test-email.ts';
import { updateDomain } from './update-domain.ts';

/** The methods of /domains (docs/specification.md#domains). */
export const domainsService = (connections: DomainsConnections): AdminMethods<typeof domains> => ({
  AddDomain: addDomain(connections),
  CreateDomain: createDomain(connections),
  GetDomain: getDomain(connections),
  GetDomainVerification: getDomainVerification(connections),
  VerifyDomain: verifyDomain(connections),
  ListDomains: listDomains(connections),
  UpdateDomain: updateDomain(connections),
  RemoveDomain: removeDomain(connections),
  CheckDNSProvider: checkDNSProvider(connections),
  ApplyDomainRecords: applyDomainRecords(connections),
  DeleteDomainRecord: deleteDomainRecord(connections),
  SendTestEmail: sendTestEmail(connections),
});
