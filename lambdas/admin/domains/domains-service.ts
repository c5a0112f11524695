import type { domains } from '../../../contract/admin/domains.ts';
import type { AdminMethods } from '../../../core/rpc/admin-method.ts';
import { addDomain, createDomain } from './add-domain.ts';
import { applyDomainRecords } from './apply-domain-records.ts';
import { checkDNSProvider } from './check-dns-provider.ts';
import { deleteDomainRecord } from './delete-domain-record.ts';
import type { DomainsDependencies } from './domains-dependencies.ts';
import { getDomain, getDomainVerification, verifyDomain } from './get-domain.ts';
import { listDomains } from './list-domains.ts';
import { removeDomain } from './remove-domain.ts';
import { sendTestEmail } from './send-test-email.ts';
import { updateDomain } from './update-domain.ts';

/** The methods of /domains (docs/specification.md#domains). */
export const domainsService = (dependencies: DomainsDependencies): AdminMethods<typeof domains> => ({
  AddDomain: addDomain(dependencies),
  CreateDomain: createDomain(dependencies),
  GetDomain: getDomain(dependencies),
  GetDomainVerification: getDomainVerification(dependencies),
  VerifyDomain: verifyDomain(dependencies),
  ListDomains: listDomains(dependencies),
  UpdateDomain: updateDomain(dependencies),
  RemoveDomain: removeDomain(dependencies),
  CheckDNSProvider: checkDNSProvider(dependencies),
  ApplyDomainRecords: applyDomainRecords(dependencies),
  DeleteDomainRecord: deleteDomainRecord(dependencies),
  SendTestEmail: sendTestEmail(dependencies),
});
