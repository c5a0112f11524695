import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { initialValues } from '../../parts/forms/form-fields.ts';
import { Details } from '../../parts/text/details.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { Copyable, StateLabel, YesNo } from '../../parts/text/values.tsx';
import { fieldWords } from '../../words/fields.ts';
import { domainWords } from '../../words/pages/domains.ts';
import { words } from '../../words/words.ts';
import type { Domain } from './domain-records.ts';

/** The settings of a domain that UpdateDomain changes. */
const settings = ['send_enabled', 'receive_enabled', 'dmarc_enabled', 'dmarc_policy', 'dmarc_report_email', 'spf_mode', 'spf_value'] as const;

export const DomainSettings = ({ domain }: { readonly domain: Domain }) => (
  <Details
    title={domainWords.settings}
    actions={
      <DialogButton needs={['domains', 'UpdateDomain']} text={domainWords.edit}>
        {(onClose) => (
          <FormDialog
            title={domainWords.settings}
            service="domains"
            method="UpdateDomain"
            fields={settings}
            fixed={{ id: domain.id }}
            initial={initialValues(domain, settings)}
            done={() => ({ title: domainWords.saved })}
            onClose={onClose}
          />
        )}
      </DialogButton>
    }
    details={[
      { label: domainWords.columns.state, value: <StateLabel kind="domainVerification" state={domain.verification_status} /> },
      { label: domainWords.dkim, value: <StateLabel kind="domainVerification" state={domain.dkim_status} /> },
      { label: domainWords.columns.send, value: <YesNo value={domain.send_enabled} /> },
      { label: domainWords.columns.receive, value: <YesNo value={domain.receive_enabled} /> },
      ...(domain.role_mail ?? []).map(({ address, account_email: email }) => ({
        label: domainWords.roleMail.to(address),
        value: email ?? domainWords.roleMail.nobody,
      })),
      { label: domainWords.dmarc, value: domain.dmarc_enabled ? fieldWords.values[domain.dmarc_policy] : words.form.no },
      { label: domainWords.spf, value: fieldWords.values[domain.spf_mode] },
      { label: domainWords.mailFrom, value: domain.mail_from_domain },
      { label: domainWords.primary, value: <YesNo value={domain.is_primary} /> },
      { label: domainWords.adopted, value: <YesNo value={domain.adopted} /> },
      { label: domainWords.columns.created, value: <DetailedTime at={domain.created_at} /> },
      { label: words.id, value: <Copyable value={domain.id} name={words.id} /> },
    ]}
  />
);
