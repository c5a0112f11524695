import type { TouchEvent } from 'react';

/** What a swipe to a side does. Undefined where it does nothing. */
export type Swipe = { readonly label: string; readonly run: () => void };
export type Swipes = { readonly right: Swipe | undefined; readonly left: Swipe | undefined };

/** The way of a finger in pixels after which it is a swipe, and the part of a row after which the swipe counts. */
const [slop, enough] = [12, 0.35];

type Touch = { readonly x: number; readonly y: number; readonly element: HTMLElement; isSwipe: boolean; by: number };

/** Makes the listeners of a row that a finger moves to a side. Up and down it scrolls the list. */
export const swipeListeners = (touch: { current: Touch | undefined }, swipes: () => Swipes) => {
  const rest = (): void => {
    if (!touch.current) return;
    touch.current.element.style.translate = '';
    delete touch.current.element.dataset['swipe'];
    touch.current = undefined;
  };
  return {
    onTouchStart({ touches, currentTarget }: TouchEvent<HTMLElement>) {
      const finger = touches[0];
      rest();
      if (finger && touches.length === 1) touch.current = { x: finger.clientX, y: finger.clientY, element: currentTarget, isSwipe: false, by: 0 };
    },
    onTouchMove({ touches }: TouchEvent<HTMLElement>) {
      const finger = touches[0];
      const { current } = touch;
      if (!current || !finger) return;
      const [by, down] = [finger.clientX - current.x, finger.clientY - current.y];
      if (!current.isSwipe && Math.abs(down) > slop && Math.abs(down) > Math.abs(by)) return rest();
      const swipe = by > 0 ? swipes().right : swipes().left;
      current.isSwipe ||= Math.abs(by) > slop;
      current.by = swipe && current.isSwipe ? by : 0;
      current.element.style.translate = `${current.by}px`;
      current.element.dataset['swipe'] = swipe && current.isSwipe ? swipe.label : '';
    },
    onTouchEnd() {
      const { current } = touch;
      if (!current) return;
      const { by, element } = current;
      const swipe = by > 0 ? swipes().right : swipes().left;
      const isEnough = Math.abs(by) > enough * element.clientWidth;
      rest();
      if (isEnough) swipe?.run();
    },
    onTouchCancel: rest,
  };
};
