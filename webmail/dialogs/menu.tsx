import { useEffect, useLayoutEffect, useRef, type KeyboardEvent } from 'react';
import { words } from '../words/words.ts';

export type MenuItem = { readonly id: string; readonly label: string; readonly run: () => void };

export type MenuProps = { readonly items: readonly MenuItem[]; readonly at: { readonly x: number; readonly y: number }; readonly onClose: () => void };

/** A menu at a place of the window. Arrow keys choose; Escape and a loss of the focus close it. */
export const Menu = ({ items, at, onClose }: MenuProps) => {
  const menu = useRef<HTMLDivElement>(null);
  const before = useRef<Element | null>(null);
  useEffect(() => {
    before.current = document.activeElement;
    menu.current?.querySelector('button')?.focus();
  }, []);
  // The menu stays within the window.
  useLayoutEffect(() => {
    const element = menu.current!;
    const { offsetWidth, offsetHeight } = element;
    element.style.left = `${Math.max(0, Math.min(at.x, innerWidth - offsetWidth - 4))}px`;
    element.style.top = `${Math.max(0, Math.min(at.y, innerHeight - offsetHeight - 4))}px`;
  }, [at]);
  const close = (): void => {
    if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus();
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const buttons = [...menu.current!.querySelectorAll('button')];
    const index = buttons.findIndex((button) => button === document.activeElement);
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }[event.key];
    if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (to === undefined) return;
    else buttons.at(to % buttons.length)?.focus();
    event.preventDefault();
  };
  return (
    <div
      ref={menu}
      role="menu"
      className="menu-list"
      aria-label={words.acts}
      onKeyDown={onKeyDown}
      onBlur={({ relatedTarget }) => !menu.current?.contains(relatedTarget) && onClose()}
    >
      {items.map(({ id, label, run }) => (
        <button
          key={id}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            close();
            run();
          }}
        >
          {label}
        </button>
      ))}
    </div>
  );
};
