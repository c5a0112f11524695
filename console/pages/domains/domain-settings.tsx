import Button from '@cloudscape-design/components/button';
import { useState } from 'react';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { Copyable } from '../../parts/text/copyable.tsx';
import { Details } from '../../parts/text/details.tsx';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { initialValues } from '../../parts/forms/form-fields.ts';
import { StateLabel } from '../../parts/lists/state-label.tsx';
import { DetailedTime } from '../../parts/text/time.tsx';
import { YesNo } from '../../parts/text/yes-no.tsx';
import { domainWords } from '../../words/pages/domains.ts';
import { fieldWords } from '../../words/fields.ts';
import { words } from '../../words/words.ts';
import type { Domain } from './domain-records.ts';

/** The settings of a domain that UpdateDomain changes. */
const settings = ['send_enabled', 'receive_enabled', 'dmarc_enabled', 'dmarc_policy', 'dmarc_report_email', 'spf_mode', 'spf_value'] as const;

/** The settings and the states of a domain. */
export const DomainSettings = ({ domain }: { readonly domain: Domain }) => {
  const [isEditing, setEditing] = useState(false);
  const { notify } = useNotifications();
  return (
    <>
      <Details
        title={domainWords.settings} actions={<Button onClick={() => setEditing(true)}>{domainWords.edit}</Button>}
        details={[
          { label: domainWords.columns.state, value: <StateLabel kind="domainVerification" state={domain.verification_status} /> },
          { label: domainWords.dkim, value: <StateLabel kind="domainVerification" state={domain.dkim_status} /> },
          { label: domainWords.columns.send, value: <YesNo value={domain.send_enabled} /> },
          { label: domainWords.columns.receive, value: <YesNo value={domain.receive_enabled} /> },
          { label: domainWords.dmarc, value: domain.dmarc_enabled ? fieldWords.values[domain.dmarc_policy] : words.form.no },
          { label: domainWords.spf, value: fieldWords.values[domain.spf_mode] },
          { label: domainWords.mailFrom, value: domain.mail_from_domain },
          { label: domainWords.primary, value: <YesNo value={domain.is_primary} /> },
          { label: domainWords.adopted, value: <YesNo value={domain.adopted} /> },
          { label: domainWords.columns.created, value: <DetailedTime at={domain.created_at} /> },
          { label: words.id, value: <Copyable value={domain.id} name={words.id} /> },
        ]}
      />
      {isEditing && (
        <FormDialog
          title={domainWords.settings} service="domains" method="UpdateDomain" fields={settings} fixed={{ id: domain.id }}
          initial={initialValues(domain, settings)} onClose={() => setEditing(false)}
          onDone={() => notify({ type: 'success', title: domainWords.saved })}
        />
      )}
    </>
  );
};
