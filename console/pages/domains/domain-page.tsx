import { Button } from '@cloudscape-design/components';
import { useNavigate, useParams } from 'react-router';
import { useAdminMutation, useAdminQuery } from '../../api/admin-api.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { Confirm } from '../../parts/forms/confirm.tsx';
import { DialogButton } from '../../parts/forms/form-dialog.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { domainWords } from '../../words/pages/domains.ts';
import { DomainCatchAll } from './catch-all.tsx';
import type { Domain } from './domain-records.ts';
import { DomainSettings } from './domain-settings.tsx';
import { DomainStatus, LastLook, useDomain } from './domain-status.tsx';
import { RecordsList } from './records-list.tsx';
import { RoleMailUnread } from './role-mail.tsx';
import { nextStep, setupPath } from './set-up/set-up-step.ts';

export const page: PageDefinition = {
  path: '/domains/:domainId',
  title: domainWords.details,
  parent: '/domains',
  methods: {
    domains: ['GetDomain', 'CheckDNSProvider', 'DeleteDomainRecord', 'UpdateDomain', 'RemoveDomain'],
    accounts: ['CreateAccount'],
    aliases: ['ListCatchAlls', 'PutCatchAll', 'DeleteCatchAll'],
  },
};

const RemoveDomain = ({ domain }: { readonly domain: Domain }) => {
  const navigate = useNavigate();
  const { notify } = useNotifications();
  const remove = useAdminMutation('domains', 'RemoveDomain', {
    leave: () => {
      notify({ type: 'success', title: domainWords.removed(domain.domain) });
      return navigate('/domains');
    },
  });
  return (
    <DialogButton needs={['domains', 'RemoveDomain']} text={domainWords.remove}>
      {(onClose) => (
        <Confirm
          title={domainWords.remove}
          consequences={domainWords.removeText}
          name={domain.domain}
          actionText={domainWords.remove}
          onConfirm={() => remove.mutateAsync({ id: domain.id })}
          onClose={onClose}
        />
      )}
    </DialogButton>
  );
};

/** A domain: whether it is live, the next step, its records and its settings. */
export const DomainPage = () => {
  const { domainId = '' } = useParams();
  const navigate = useNavigate();
  const query = useDomain(domainId);
  const access = useAdminQuery('domains', 'CheckDNSProvider', { id: domainId });
  return (
    <QueryView query={query} variant="page">
      {({ domain }) => {
        const step = nextStep(domain);
        const action = (
          <Button onClick={() => void navigate(setupPath(domain.id, step))}>
            {step === 'test' ? domainWords.progress.sendTest : domainWords.progress.goOn}
          </Button>
        );
        return (
          <Page title={domain.domain} description={<LastLook query={query} />} actions={<RemoveDomain domain={domain} />}>
            <DomainStatus domain={domain} action={step === 'test' && !domain.send_enabled ? undefined : action} />
            <RoleMailUnread domain={domain} />
            <RecordsList query={query} canRemove={access.data?.has_access === true} />
            {domain.receive_enabled && <DomainCatchAll domain={domain} />}
            <DomainSettings domain={domain} />
          </Page>
        );
      }}
    </QueryView>
  );
};
