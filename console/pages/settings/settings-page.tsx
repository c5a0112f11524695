import { Box, Button, ColumnLayout, Container, CopyToClipboard, Header } from '@cloudscape-design/components';
import { version } from '../../../package.json';
import { useAdminQuery } from '../../api/admin-api.tsx';
import { useConfig } from '../../page/config-context.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { setPreferences, usePreferences } from '../../page/preferences.ts';
import { Choice } from '../../parts/forms/choice.tsx';
import { Details } from '../../parts/text/details.tsx';
import { Copyable } from '../../parts/text/values.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { settingsWords } from '../../words/pages/settings.ts';
import { words } from '../../words/words.ts';

export const page: PageDefinition = {
  path: '/settings',
  title: words.preferences,
  navigation: { group: 'operations', position: 6 },
  methods: { status: ['GetStatus'] },
};

const Display = () => {
  const { appearance, isCompact, timeZone, panelPosition } = usePreferences();
  const { light, dark, system } = words.appearance;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <Container
      header={
        <Header variant="h2" description={settingsWords.displayText}>
          {settingsWords.display}
        </Header>
      }
    >
      <ColumnLayout columns={2}>
        <Choice
          label={settingsWords.appearance}
          value={appearance}
          options={{ system, light, dark }}
          onChange={(value) => setPreferences({ appearance: value })}
        />
        <Choice
          label={settingsWords.density}
          value={isCompact ? 'compact' : 'comfortable'}
          options={settingsWords.densities}
          onChange={(value) => setPreferences({ isCompact: value === 'compact' })}
        />
        <Choice
          label={settingsWords.timeZone}
          value={timeZone}
          options={{ local: settingsWords.zones.local(zone), UTC: settingsWords.zones.UTC }}
          onChange={(value) => setPreferences({ timeZone: value })}
        />
        <Choice
          label={settingsWords.panel}
          value={panelPosition}
          options={settingsWords.panelPositions}
          onChange={(value) => setPreferences({ panelPosition: value })}
        />
      </ColumnLayout>
    </Container>
  );
};

const Lists = () => {
  const { lists } = usePreferences();
  const { notify } = useNotifications();
  const chosen = Object.keys(lists).length;
  const reset = (): void => {
    setPreferences({ lists: {} });
    notify({ type: 'success', title: settingsWords.resetDone });
  };
  return (
    <Container
      header={
        <Header
          variant="h2"
          description={settingsWords.listsText}
          actions={
            <Button disabled={chosen === 0} onClick={reset}>
              {settingsWords.reset}
            </Button>
          }
        >
          {settingsWords.lists}
        </Header>
      }
    >
      <Box>{settingsWords.chosen(chosen)}</Box>
    </Container>
  );
};

const Deployment = ({ account }: { readonly account: string | undefined }) => {
  const { mailDomain, region, adminApiUrl, jmapUrl, authUrl, clientId } = useConfig();
  const values: readonly (readonly [string, string | undefined])[] = [
    [settingsWords.account, account],
    [settingsWords.region, region],
    [settingsWords.domain, mailDomain],
    [settingsWords.consoleUrl, window.location.origin],
    [settingsWords.adminApi, adminApiUrl],
    [settingsWords.jmap, jmapUrl],
    [settingsWords.signIn, authUrl],
    [settingsWords.client, clientId],
    [settingsWords.version, version],
  ];
  const all = values.map(([label, value]) => `${label}: ${value ?? words.details.none}`).join('\n');
  return (
    <Details
      title={settingsWords.deployment}
      actions={<CopyToClipboard textToCopy={all} copyButtonText={settingsWords.support} copySuccessText={words.copy.done} copyErrorText={words.copy.failed} />}
      details={values.map(([label, value]) => ({ label, value: value === undefined ? undefined : <Copyable value={value} name={label} /> }))}
    />
  );
};

export const SettingsPage = () => {
  const query = useAdminQuery('status', 'GetStatus', {});
  return (
    <Page title={words.preferences}>
      <Display />
      <Lists />
      <QueryView query={query}>{({ status }) => <Deployment account={status.aws_account_id} />}</QueryView>
    </Page>
  );
};
