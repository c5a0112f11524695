import { TopNavigation } from '@cloudscape-design/components';
import { useNavigate } from 'react-router';
import { setPreferences, usePreferences } from '../page/preferences.ts';
import { useSession } from '../session/session-gate.tsx';
import { connectWords } from '../words/pages/operations.ts';
import { words } from '../words/words.ts';
import { SearchBox } from './search-box.tsx';

/** The bar above every page: the search, preferences, and the person who is signed in. */
export const TopBar = () => {
  const { session, person } = useSession();
  const { appearance, isCompact, timeZone } = usePreferences();
  const navigate = useNavigate();
  return (
    <TopNavigation
      identity={{
        href: '/',
        title: words.product,
        onFollow: (event) => {
          event.preventDefault();
          void navigate('/');
        },
      }}
      search={<SearchBox />}
      utilities={[
        {
          type: 'menu-dropdown',
          iconName: 'settings',
          ariaLabel: words.preferences,
          title: words.preferences,
          items: [
            {
              id: 'appearance',
              text: words.appearance.title,
              items: (['light', 'dark', 'system'] as const).map((one) => ({
                id: one,
                text: words.appearance[one],
                itemType: 'checkbox' as const,
                checked: appearance === one,
              })),
            },
            { id: 'compact', text: words.density.title, itemType: 'checkbox', checked: isCompact },
            { id: 'utc', text: words.times.inUtc, itemType: 'checkbox', checked: timeZone === 'UTC' },
            { id: 'settings', text: words.allSettings },
          ],
          onItemClick: ({ detail: { id } }) => {
            if (id === 'settings') void navigate('/settings');
            else if (id === 'compact') setPreferences({ isCompact: !isCompact });
            else if (id === 'utc') setPreferences({ timeZone: timeZone === 'UTC' ? 'local' : 'UTC' });
            else if (id === 'light' || id === 'dark' || id === 'system') setPreferences({ appearance: id });
          },
        },
        {
          type: 'menu-dropdown',
          iconName: 'user-profile',
          text: person.email,
          items: [
            { id: 'connect', text: connectWords.title },
            { id: 'sign-out', text: words.signOut },
          ],
          onItemClick: ({ detail: { id } }) => void (id === 'sign-out' ? session.end() : navigate('/connect')),
        },
      ]}
    />
  );
};
